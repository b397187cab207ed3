import assert from 'node:assert/strict';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { configuredSecrets, registerServerSecrets } from '../../src/host/secrets/configuredSecrets';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { assertEach, assertNone } from '../assertions';
import { SteeredServers } from './steeredServers';

describe('The secrets of a configuration', () => {
  let values: SecretValues;
  let servers: SteeredServers;
  beforeEach(() => {
    values = new SecretValues();
    values.add('typed-by-the-person');
    servers = new SteeredServers(undefined, {
      holdSecrets: registerServerSecrets(values),
      redact: (text) => values.redact(text),
    });
  });
  afterEach(() => servers.end());

  const isKnown = (text: string) => values.redact(text) === '(secret)';
  const many = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`A${index}_TOKEN`, `literal-${index}`]),
    );

  it('are redacted for a running server, and not for one that was never started', async () => {
    servers.isTrusted = false;
    servers.configure(servers.config('a', 'polite', { API_KEY: 'literal-of-a' }));
    assert.ok(!isKnown('literal-of-a'));
    await assert.rejects(servers.registry.start('a'));
    assert.ok(!isKnown('literal-of-a'));
    servers.isTrusted = true;
    servers.approve = () => Promise.resolve(false);
    await assert.rejects(servers.registry.start('a'));
    assert.ok(!isKnown('literal-of-a'));
    servers.approve = () => Promise.resolve(true);
    await servers.registry.start('a');
    assert.ok(isKnown('literal-of-a'));
    await servers.registry.stop('a');
    // Lines of a process that has ended may still come.
    assert.ok(isKnown('literal-of-a'));
  });

  it('displace no secret of the user, however many there are, and the log says so', async () => {
    servers.configure(
      servers.config('a', 'polite', many(2_500)),
      servers.config('b', 'polite', { B_KEY: 'literal-of-b' }),
    );
    assert.ok(isKnown('typed-by-the-person'));
    await Promise.all([servers.registry.start('a'), servers.registry.start('b')]);
    assert.ok(isKnown('typed-by-the-person'));
    assert.ok(isKnown('literal-of-b'));
    assert.ok(
      servers.warned.some((line) => line.startsWith('2000 secrets')),
      servers.warned.join(),
    );
  });

  it('stay known after they were changed while the server ran', async () => {
    servers.configure(servers.config('a', 'polite', { API_KEY: 'before-the-change' }));
    await servers.registry.start('a');
    servers.configure(servers.config('a', 'polite', { API_KEY: 'after-the-change' }));
    await servers.registry.start('a');
    assert.deepEqual(['before-the-change', 'after-the-change'].map(isKnown), [true, true]);
  });

  it('are no flags and counts, which occur in every log', async () => {
    const flags = { REQUIRE_AUTH: 'true', USE_TOKENS: 'None', MAX_TOKENS: '4096', KEYS: '100000' };
    const others = { API_KEY: '1234567', DB_PASSWORD: '482915', TOKEN: 'true-token' };
    const args = ['--x', '${env:MAX_KEYS}'];
    const config = servers.config('a', 'polite', { ...flags, ...others });
    servers.configure({
      ...config,
      written: [
        { part: 'argument', name: 1, pieces: [{ reference: args[1] ?? '', value: '2048' }] },
      ],
    });
    await servers.registry.start('a');
    assertNone([...Object.values(flags), '2048'], isKnown);
    assertEach(Object.values(others), isKnown, [true, true, true]);
    values.hold(
      configuredSecrets({}, { kind: 'http', url: 'https://h/?max_tokens=8192', headers: {} })
        .literal,
    );
    assert.ok(!isKnown('8192'));
    // The user stored this one as a secret.
    values.add('4096');
    assert.ok(isKnown('4096'));
  });

  it('from inputs and environment variables are known, too', async () => {
    const filled: SteeredServers = new SteeredServers(
      { valueOf: () => Promise.resolve('answered-by-a-command') },
      { holdSecrets: registerServerSecrets(values) },
    );
    const source = { kind: 'setting' } as const;
    const { transport } = filled.config('a', 'polite', { API_KEY: '${input:x}' });
    const config: ServerConfig = {
      ...filled.config('a'),
      transport,
      inputs: [{ kind: 'command', id: 'x', source, command: 'y' }],
      written: [
        {
          part: 'variable',
          name: 'A',
          pieces: [{ reference: '${env:MY_PAT}', value: 'from-env' }],
        },
      ],
    };
    filled.configure(config);
    await filled.registry.start('a');
    assert.deepEqual(['answered-by-a-command', 'from-env'].map(isKnown), [true, true]);
    await filled.end();
  });
});
