import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { McpError } from '../../src/core/errors';
import { configHash } from '../../src/host/configuration/configurationHash';
import { parseServersSetting } from '../../src/host/configuration/configuration';
import { fillInputs, type InputValues } from '../../src/host/configuration/inputs';
import type { InputDefinition } from '../../src/host/configuration/serverConfig';
import { startFacts } from '../../src/host/consent/trust/startFacts';
import { file, inApp, only, parse, setting, told } from './configurationCases';
import { SteeredServers } from './steeredServers';
import { assertEach } from '../assertions';

const { token } = new CancellationTokenSource();
const text = (inputs: readonly object[], entry: object): string =>
  JSON.stringify({ inputs, servers: { a: entry } });
const config = (inputs: readonly object[], entry: object) => only(parse(text(inputs, entry)));

/** Answers from a list and writes down what it was asked. */
function answers(values: Readonly<Record<string, string>>): InputValues & { asked: string[] } {
  const asked: string[] = [];
  const valueOf = (input: InputDefinition) => {
    asked.push(input.id);
    return Promise.resolve(values[input.id]);
  };
  return { asked, valueOf };
}

const key = { id: 'key', type: 'promptString', password: true, description: 'The key' };

describe('Inputs of a configuration', () => {
  it('are read in the three kinds of VS Code, with their places', () => {
    const { inputs } = config(
      [
        { ...key, default: 'none' },
        { id: 'mode', type: 'pickString', options: ['ro', { label: 'All', value: 'rw' }, 5] },
        { id: 'port', type: 'command', command: 'ext.port', args: { name: 'db' } },
      ],
      { command: 'x', args: ['${input:key}', '${input:mode}', '${input:port}'] },
    );
    assert.deepEqual(JSON.parse(JSON.stringify(inputs)), [
      {
        id: 'key',
        source: file,
        kind: 'promptString',
        description: 'The key',
        isPassword: true,
        default: 'none',
      },
      {
        id: 'mode',
        source: file,
        kind: 'pickString',
        options: [
          { value: 'ro', label: 'ro' },
          { value: 'rw', label: 'All' },
        ],
      },
      { id: 'port', source: file, kind: 'command', command: 'ext.port', args: { name: 'db' } },
    ]);
  });

  it('that are invalid are marked, and so are servers that use them', () => {
    const entry = { command: 'x', env: { A: '${input:b}' } };
    const cases: [unknown, string[]][] = [
      [{}, ['wrongType inputs array']],
      [[5], ['wrongType inputs/0 object']],
      [[{ type: 'promptString' }], ['wrongType inputs/0 id']],
      [[{ id: 'a}', type: 'promptString' }], ['wrongType inputs/0 id']],
      [[{ id: 'b', type: 'x' }], ['wrongType inputs/0/type promptString | pickString | command']],
      [[{ id: 'b', type: 'pickString', options: [] }], ['wrongType inputs/0/options options']],
      [[{ id: 'b', type: 'command' }], ['wrongType inputs/0 command']],
    ];
    const missing = 'unknownInput servers/a/env/A ${input:b} !';
    assert.deepEqual(
      cases.map(([inputs]) =>
        told(parse(JSON.stringify({ inputs, servers: { a: entry } })).problems),
      ),
      cases.map(([, problems]) => [...problems, missing]),
    );
    const odd = { ...key, id: 'b', secret: true };
    assert.deepEqual(told(parse(text([odd, odd], entry)).problems), [
      'unknownKey inputs/0/secret secret',
      'unknownKey inputs/1/secret secret',
      'duplicateKey inputs/0 b',
    ]);
  });

  it('are asked for once, in order, and inserted everywhere', async () => {
    const server = config(
      [key, { id: 'dir', type: 'promptString' }, { id: 'unused', type: 'promptString' }],
      {
        command: '/bin/${input:key}',
        args: ['${input:key}-${input:dir}', '$HOME'],
        env: { A: '${input:dir}', B: null },
        cwd: '${input:dir}',
      },
    );
    const values = answers({ key: '${input:dir}$&', dir: '/there' });
    assert.deepEqual(await fillInputs(server, values, token), {
      kind: 'stdio',
      command: '/bin/${input:dir}$&',
      args: ['${input:dir}$&-/there', '$HOME'],
      env: { A: '/there', B: null },
      cwd: '/there',
    });
    assert.deepEqual(values.asked, ['key', 'dir']);
  });

  it('are inserted in URLs and headers, and an invalid URL is refused', async () => {
    const entry = { url: '${input:base}/mcp', headers: { Authorization: 'Bearer ${input:key}' } };
    const server = config([key, { id: 'base', type: 'promptString' }], entry);
    assert.deepEqual(
      await fillInputs(server, answers({ key: 's', base: 'https://x.test' }), token),
      { kind: 'http', url: 'https://x.test/mcp', headers: { Authorization: 'Bearer s' } },
    );
    await assert.rejects(
      fillInputs(server, answers({ key: 's', base: 'x' }), token),
      new McpError('invalidConfiguration', { detail: '${input:base}/mcp' }),
    );
  });

  it('without an answer end the start', async () => {
    const server = config([key], { command: '${input:key}' });
    await assert.rejects(fillInputs(server, answers({}), token), new McpError('notApproved'));
  });

  it('can be used in the setting without a definition, as secrets', () => {
    const server = only(
      parseServersSetting({ a: { command: 'x', env: { A: '${input:key}' } } }, setting, inApp),
    );
    assert.deepEqual(server.inputs, [
      { kind: 'promptString', id: 'key', source: setting, isPassword: true },
    ]);
  });

  it('are not inserted in the path of the environment file', () => {
    assert.deepEqual(told(parse(text([key], { command: 'x', envFile: '${input:key}' })).problems), [
      'unsupportedVariable servers/a/envFile ${input:key} !',
    ]);
  });
});

describe('The trust in a server with inputs', () => {
  it('depends on their place, not on their description or value', () => {
    const entry = { command: 'x', env: { A: '${input:key}' } };
    const hash = (input: object, given: object = entry) => configHash(config([input], given));
    assert.equal(hash({ ...key, description: 'Other' }), hash(key));
    assert.notEqual(hash(key, { command: 'x', env: { B: '${input:key}' } }), hash(key));
  });

  it('depends on the command that provides one, and shows it', () => {
    const entry = { command: 'x', args: ['${input:key}'] };
    const command = { id: 'key', type: 'command', command: 'ext.port' };
    const hash = (input: object) => configHash(config([input], entry));
    assert.notEqual(hash(command), hash({ ...command, command: 'ext.other' }));
    assert.notEqual(hash(command), hash({ ...command, args: [1] }));
    assert.notEqual(hash(command), hash(key));
    assert.deepEqual(
      startFacts(config([{ ...command, args: [1] }], entry)).filter(({ part }) => part === 'input'),
      [{ part: 'input', name: 'key', value: 'ext.port [1]' }],
    );
  });

  it('shows an input in place of a masked secret', () => {
    const facts = startFacts(
      config([key], {
        command: 'x',
        env: { A_KEY: '${input:key}', B_KEY: 'Bearer ${input:key}', C_KEY: 'sk-1/${input:key}' },
      }),
    );
    assertEach(
      facts.filter(({ part }) => part === 'variable'),
      ({ value }) => value,
      ['${input:key}', 'Bearer ${input:key}', undefined],
    );
  });
});

describe('The start of a server with inputs', () => {
  const input: InputDefinition = {
    kind: 'promptString',
    id: 'key',
    source: { kind: 'setting' },
    isPassword: true,
  };

  it('asks for them after the yes, and the process has the values', async () => {
    const order: string[] = [];
    const values: InputValues = {
      valueOf: ({ id }) => {
        order.push(`input ${id}`);
        return Promise.resolve('polite');
      },
    };
    const servers = new SteeredServers(values);
    servers.approve = ({ transport }) => {
      order.push(`trust ${transport.kind === 'stdio' && transport.args.at(-1)}`);
      return Promise.resolve(true);
    };
    const { transport, ...rest } = servers.config('a');
    assert.ok(transport.kind === 'stdio');
    const args = [...transport.args.slice(0, -1), '${input:key}'];
    servers.configure({ ...rest, transport: { ...transport, args }, inputs: [input] });
    const { config: shown, state } = await servers.registry.start('a');
    assert.equal(state.kind, 'running');
    assert.deepEqual(order, ['trust ${input:key}', 'input key']);
    assert.deepEqual(shown.transport.kind === 'stdio' && shown.transport.args, args);
    await servers.end();
  });

  it('leaves it stopped without an answer, and failed if there can be none', async () => {
    for (const [values, expected] of [
      [answers({}), 'stopped'],
      [undefined, 'failed'],
    ] as const) {
      const servers = new SteeredServers(values);
      servers.configure({ ...servers.config('a'), inputs: [input] });
      await assert.rejects(servers.registry.start('a'));
      assert.equal(servers.registry.find('a')?.state.kind, expected);
      assert.equal(servers.connects, 0);
      await servers.end();
    }
  });
});
