import assert from 'node:assert/strict';
import {
  type ConversionOptions,
  isUnusedVariable,
  moveEntry,
} from '../../src/host/adding/movedEntry';
import { withAddition } from '../../src/host/adding/configurationAdditions';

const options: ConversionOptions = {
  server: 'git hub',
  from: 'vscode',
  to: { format: 'mcpServers' },
  isFree: (name) => name !== 'TAKEN',
};
const move = (entry: object | string, more: Partial<ConversionOptions> = {}) => {
  const text = typeof entry === 'string' ? entry : JSON.stringify(entry);
  const { text: written, ...rest } = moveEntry(text, { ...options, ...more });
  return { entry: JSON.parse(written) as unknown, ...rest };
};
const nothing = { inputs: [], impossible: [], losesComments: false, lostDefaults: [] };

describe('A server entry that is moved', () => {
  it('has variables in place of inputs and secrets, without their values', () => {
    const moved = move({
      command: 'npx',
      args: ['--key=${input:the key}', '--dir', '${workspaceFolder}', '${env:HOME}'],
      env: {
        TOKEN: '${input:token}',
        TAKEN: '${input:other}',
        API_KEY: 'sk-0123456789abcdefghij',
        AGAIN: 'x ${input:token}',
      },
    });
    assert.deepEqual(moved, {
      entry: {
        command: 'npx',
        args: ['--key=${GIT_HUB_THE_KEY}', '--dir', '${workspaceFolder}', '${HOME}'],
        env: {
          TOKEN: '${TOKEN}',
          TAKEN: '${GIT_HUB_OTHER}',
          API_KEY: '${API_KEY}',
          AGAIN: 'x ${TOKEN}',
        },
      },
      ...nothing,
      variables: ['GIT_HUB_THE_KEY', 'TOKEN', 'GIT_HUB_OTHER', 'API_KEY'],
    });
  });

  it('has one variable for each name that has the same placeholder', () => {
    const env = { API_KEY: 'your_key_here', API_SECRET: 'your_key_here', KEY: 'k-1234' };
    const moved = move({ command: 'x', args: ['--key', 'k-1234'], env });
    assert.deepEqual(moved.entry, {
      command: 'x',
      args: ['--key', '${GIT_HUB_KEY}'],
      env: { API_KEY: '${API_KEY}', API_SECRET: '${API_SECRET}', KEY: '${GIT_HUB_KEY}' },
    });
  });

  it('has variables that name the server once, also for an input that names it already', () => {
    const args = ['${input:git-hub-api-key}', '${input:git-hubble}'];
    assert.deepEqual(move({ command: 'x', args }).variables, [
      'GIT_HUB_API_KEY',
      'GIT_HUB_GIT_HUBBLE',
    ]);
  });

  it('gets variables that neither the environment nor a file uses', () => {
    const text = '{"a": "${A}", "b": "x${env:B}", "c": "${C:-d}", "long": "${LONG_NAME}"}';
    const isUnused = (name: string): boolean => isUnusedVariable(name, { SET: '' }, ['{}', text]);
    assert.deepEqual(['A', 'B', 'C', 'SET', 'LONG', 'D'].filter(isUnused), ['LONG', 'D']);
  });

  it('has the members that Copilot and others need', () => {
    const copilot = { to: { format: 'mcpServers', isCopilot: true } } as const;
    assert.deepEqual(move({ command: 'x' }, copilot).entry, {
      type: 'local',
      tools: ['*'],
      command: 'x',
    });
    const own = { type: 'stdio', command: 'x', tools: ['a'] };
    assert.deepEqual(move(own, copilot).entry, { ...own, type: 'local' });
    assert.deepEqual(move({ url: 'https://h/' }).entry, { type: 'http', url: 'https://h/' });
    const back = { from: 'mcpServers', to: { format: 'vscode' } } as const;
    assert.deepEqual(move({ type: 'local', command: 'x' }, back).entry, {
      type: 'stdio',
      command: 'x',
    });
  });

  it('keeps its inputs if the format supports them, and no secrets', () => {
    const entry = { url: 'https://h/', headers: { Authorization: 'Bearer sk-0123456789abcdef' } };
    const moved = move({ ...entry, cwd: '${input:a}' }, { to: { format: 'vscode' } });
    assert.deepEqual(moved, {
      entry: {
        url: 'https://h/',
        headers: { Authorization: 'Bearer ${env:GIT_HUB_AUTHORIZATION}' },
        cwd: '${input:a}',
      },
      ...nothing,
      inputs: ['a'],
      variables: ['GIT_HUB_AUTHORIZATION'],
    });
  });

  it('reports what the other format cannot express', () => {
    assert.deepEqual(move({ command: '${config:a.b}' }).impossible, ['${config:a.b}']);
    const back = { from: 'mcpServers', to: { format: 'vscode' } } as const;
    const moved = move({ command: '${A}', args: ['${B:-c}', '${userHome}'] }, back);
    assert.deepEqual(moved.entry, { command: '${env:A}', args: ['${env:B}', '${userHome}'] });
    assert.deepEqual(moved.lostDefaults, ['B']);
  });

  it('refers to the same environment variables as before, in any case of letters', () => {
    const back = { from: 'mcpServers', to: { format: 'vscode' } } as const;
    const env = { A: '${api_key}', B: '${Token:-abc}', C: '${_c}', D: '${userHome:-x}' };
    const args = ['${workspaceFolder}', '${workspaceFolderBasename}', '${pathSeparator}'];
    const moved = move({ command: '${env:x}', args, env }, back);
    assert.deepEqual(moved.entry, {
      command: '${env:x}',
      args,
      env: { A: '${env:api_key}', B: '${env:Token}', C: '${env:_c}', D: '${env:userHome}' },
    });
    assert.deepEqual(moved.lostDefaults, ['Token', 'userHome']);
  });

  it('has the numbers as they were written', () => {
    const env = '"env": { "ID": 1234567890123456789, "VERSION": 1.10 }';
    const { text } = moveEntry(`{ "command": "x", /* mine */ ${env}, }`, options);
    assert.match(text, /"ID": 1234567890123456789,\s+"VERSION": 1\.10\s/);
    assert.doesNotMatch(text, /mine/);
  });

  it('loses its comments only if other clients read strict JSON', () => {
    const text = '{\n  // mine\n  "command": "x", // odd\n}';
    assert.equal(move(text).losesComments, true);
    assert.equal(moveEntry(text, { ...options, to: { format: 'vscode' } }).text, text);
    assert.equal(move('{ "command": "x", }').losesComments, false);
  });

  it('keeps its format, and the rest of the file is unchanged', () => {
    const text = '{ "command":   "x" }';
    const file = '{\n\t// others\n\t"mcpServers": { "a": {} },\n}\n';
    const added = (before: string) =>
      withAddition(before, { servers: [{ name: 'n', entry: {}, text }], inputs: [] }, 'mcpServers');
    assert.equal(
      added(file),
      '{\n\t// others\n\t"mcpServers": { "a": {},\n\t\t"n": { "command":   "x" }\n\t},\n}\n',
    );
    assert.equal(added(''), '{\n  "mcpServers": {\n    "n": { "command":   "x" }\n  }\n}\n');
  });
});
