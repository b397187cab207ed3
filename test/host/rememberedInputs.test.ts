import assert from 'node:assert/strict';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { configuredSecrets } from '../../src/host/secrets/configuredSecrets';
import { inputStores } from './inputStores';

const token = { kind: 'workspaceFile', path: '/w/.vscode/mcp.json', id: 'token' };
const elsewhere = { ...token, path: '/other/.vscode/mcp.json' };
const mine = { kind: 'setting', path: '', id: 'region' };

describe('remembered inputs', () => {
  it('are kept over a restart, secrets in secret storage alone', async () => {
    const { remembered, open, secrets, workspace, global } = inputStores();
    assert.equal(await remembered.set(token, true, 'secret-value'), true);
    assert.equal(await open().get(token, true), 'secret-value');
    assert.deepEqual([...secrets.kept.values()], ['secret-value']);
    assert.deepEqual([workspace.kept.size, global.kept.size], [0, 0]);
  });

  it('belong to one file: another file with the same id gets no value', async () => {
    const { remembered } = inputStores();
    await remembered.set(token, true, 'secret-value');
    assert.equal(await remembered.get(elsewhere, true), undefined);
  });

  it('that are not secret are stored in the workspace, or for the user if there is none', async () => {
    const { remembered, secrets, workspace, global } = inputStores();
    await remembered.set(token, false, 'near');
    await remembered.set(mine, false, 'far');
    assert.deepEqual([...workspace.kept.values()], ['near']);
    assert.deepEqual([...global.kept.values()], ['far']);
    assert.equal(secrets.kept.size, 0);
    assert.equal(await remembered.get(mine, false), 'far');
  });

  it('are asked for again if they become secret', async () => {
    const { remembered } = inputStores();
    await remembered.set(token, false, 'was no secret');
    assert.equal(await remembered.get(token, true), undefined);
  });

  it('are known to the logs as soon as they are typed or read', async () => {
    const { remembered, secrets, values } = inputStores();
    await remembered.set(token, true, 'secret-value');
    assert.equal(values.redact('secret-value'), '(secret)');
    const later = inputStores();
    for (const key of secrets.kept.keys()) later.secrets.kept.set(key, 'later-one');
    await later.remembered.get(token, true);
    assert.equal(later.values.redact('later-one'), '(secret)');
  });

  it('are listed by name and place, and never by value', async () => {
    const { remembered } = inputStores();
    await remembered.set(mine, false, 'far');
    await remembered.set(elsewhere, true, 'b');
    await remembered.set(token, true, 'a');
    const all = await remembered.all();
    assert.deepEqual(all, [
      { ...mine, isSecret: false },
      { ...elsewhere, isSecret: true },
      { ...token, isSecret: true },
    ]);
  });

  it('are deleted one by one', async () => {
    const { remembered } = inputStores();
    await remembered.set(token, true, 'a');
    await remembered.set(elsewhere, true, 'b');
    await remembered.forget(token);
    assert.equal(await remembered.get(token, true), undefined);
    assert.equal(await remembered.get(elsewhere, true), 'b');
  });

  it('apply until the window closes if they cannot be stored', async () => {
    const { remembered, open, secrets } = inputStores();
    secrets.isBroken = true;
    assert.equal(await remembered.set(token, true, 'secret-value'), false);
    assert.equal(await remembered.get(token, true), 'secret-value');
    assert.equal(await open().get(token, true), undefined);
  });

  it('do not affect other data in the same stores', async () => {
    const { remembered, secrets, workspace } = inputStores();
    secrets.kept.set('input:no json', 'x');
    secrets.kept.set('input:[1,2,3]', 'x');
    secrets.kept.set('another', 'x');
    workspace.kept.set('filter', 'x');
    assert.deepEqual(await remembered.all(), []);
  });
});

describe('literal secrets in a configuration', () => {
  const literalSecrets = (transport: ServerConfig['transport']) =>
    configuredSecrets({}, transport).literal;

  it('are the values of keys with such a name', () => {
    assert.deepEqual(
      literalSecrets({
        kind: 'stdio',
        command: 'x',
        args: [],
        env: { API_KEY: 'one', HOME: '/home', DB_PASSWORD: 'two', GONE_TOKEN: null },
      }),
      ['one', 'one', 'two', 'two'],
    );
  });

  it('are found after the scheme in a header, and in a URL', () => {
    assert.deepEqual(
      literalSecrets({
        kind: 'http',
        url: 'https://me:pass@host/mcp?api_key=key&page=2',
        headers: { Authorization: 'Bearer abc', Accept: 'x' },
      }),
      ['pass', 'pass', 'key', 'Bearer abc', 'abc'],
    );
  });

  it('are not the inputs that replace them', () => {
    const headers = { Authorization: 'Bearer ${input:token}' };
    assert.deepEqual(literalSecrets({ kind: 'http', url: 'https://host', headers }), []);
  });

  it('are known by their owner, so that a file cannot remove those of the user', () => {
    const config = {
      written: [
        { part: 'argument', name: 0, pieces: [{ reference: '${env:A_TOKEN}', value: 'theirs' }] },
        { part: 'header', name: 'A', pieces: [{ reference: '${env:PLAIN}', value: 'no secret' }] },
        {
          part: 'header',
          name: 'B',
          pieces: [{ reference: '${config:b.token}', value: 'set', isForeign: true }],
        },
        {
          part: 'header',
          name: 'C',
          pieces: [{ reference: '${C_TOKEN:-given}', value: 'given', isForeign: true }],
        },
        {
          part: 'variable',
          name: 'D',
          pieces: [{ reference: '${env:DB}', value: 'pg://me:p%40ss@h/' }],
        },
      ],
      envFile: { path: '/x/.env', names: ['FILE_TOKEN'] },
    } as const;
    const env = { FILE_TOKEN: 'in-file', OWN_TOKEN: 'own', OTHER: 'x' };
    const transport = { kind: 'stdio', command: 'x', args: [], env } as const;
    assert.deepEqual(configuredSecrets(config, transport), {
      theirs: ['theirs', 'pg://me:p%40ss@h/', 'p%40ss', 'p@ss'],
      fromFile: ['in-file', 'in-file'],
      literal: ['set', 'given', 'own', 'own'],
    });
  });
});
