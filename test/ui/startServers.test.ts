import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { McpError } from '../../src/core/errors';
import type { InputDefinition, ServerConfig } from '../../src/host/configuration/serverConfig';
import { ServerRegistry } from '../../src/host/connections/registry';
import type { TrustState } from '../../src/host/consent/trust/serverTrust';
import { commands, settings } from '../../src/ids';
import { SettingsReader } from '../../src/ui/settings/settings';
import { DevWatch } from '../../src/ui/servers/devWatch';
import { StartWithWindow } from '../../src/ui/servers/startWithWindow';
import { InputQuestions } from '../../src/ui/secrets/inputQuestions';
import { inputStores } from '../host/inputStores';
import { until } from '../waiting';
import { silentLog } from '../silentLog';
import { useWindow } from './realWindow';

async function setStartServers(value: string | undefined): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(settings.section);
  await configuration.update(settings.startServers, value, vscode.ConfigurationTarget.Global);
}

/** In the real extension, with the real demo server. */
describe('The setting autoStart', () => {
  const { extension, answers, dialogs } = useWindow();
  afterEach(async () => {
    await setStartServers(undefined);
    await extension.clear();
  });

  const configure = (...names: readonly string[]) =>
    extension.configure(Object.fromEntries(names.map((name) => [name, extension.demoEntry()])));
  const callTool = (serverId: string) =>
    vscode.commands.executeCommand(commands.callTool, {
      kind: 'tool',
      key: '',
      serverId,
      toolName: 'no such tool',
    });

  it('`always` starts the servers that the user has agreed to, once, and asks about nothing', async () => {
    await configure('agreed', 'new');
    await extension.api.start('agreed');
    await extension.api.stop('agreed');
    dialogs.seen.length = 0;
    await setStartServers('always');
    await extension.until(() => extension.picture() === 'agreed running, new stopped');
    await extension.api.stop('agreed');
    await configure('agreed', 'new', 'another');
    assert.equal(extension.picture(), 'agreed stopped, new stopped, another stopped');
    assert.deepEqual(dialogs.seen, []);
  });

  it('`onFirstUse` starts a server when one of its tools is called, and not before', async () => {
    await configure('a', 'b');
    assert.equal(extension.picture(), 'a stopped, b stopped');
    await callTool('b');
    assert.equal(extension.picture(), 'a stopped, b running');
  });

  it('`never` offers to start it instead, and starts nothing after a no', async () => {
    await setStartServers('never');
    await configure('a');
    answers.told.length = 0;
    answers.press = () => undefined;
    await callTool('a');
    assert.deepEqual(answers.told.slice(0, 1), ['Server “a” is not running. Start it first?']);
    assert.equal(extension.picture(), 'a stopped');
  });

  it('shows the output of a server that does not answer, and stops it on a click', async () => {
    const args = ['-e', 'console.log("Listening on 3000"); setInterval(() => {}, 1e6)'];
    await extension.configure({ printing: { command: process.execPath, args } });
    answers.told.length = 0;
    answers.press = () => 'Stop Server';
    const started = vscode.commands.executeCommand(commands.startServer, 'printing');
    await extension.until(() => answers.told.length > 0);
    await started;
    assert.deepEqual(answers.told, [
      'Server “printing” has not answered yet. It printed “Listening on 3000” to stdout, which is not MCP.',
    ]);
    assert.equal(extension.picture(), 'printing stopped');
  });
});

describe('An automatic start', () => {
  const config = (command: string): ServerConfig => ({
    id: 'a',
    label: 'a',
    source: { kind: 'setting' },
    transport: { kind: 'stdio', command, args: [], env: {} },
    watch: ['*.py'],
  });
  const asked: string[] = [];
  let registry: ServerRegistry;
  let answer: (state: TrustState) => void;
  let lookUps: number;
  const trust = {
    stateOf: () => {
      lookUps += 1;
      return new Promise<TrustState>((resolve) => {
        answer = resolve;
      });
    },
  };

  beforeEach(() => {
    asked.length = 0;
    lookUps = 0;
    registry = new ServerRegistry({
      connect: () => Promise.reject(new McpError('spawnFailed')),
      isTrusted: () => true,
      approve: ({ transport }) => {
        asked.push(transport.kind === 'stdio' ? transport.command : '');
        return Promise.resolve(true);
      },
      logOf: () => silentLog,
    });
  });
  afterEach(() => registry.dispose());

  const settled = () => new Promise((resolve) => setImmediate(resolve));

  for (const [what, change, started] of [
    ['is as it was', () => undefined, ['known']],
    ['was configured anew', () => registry.setConfiguration([config('new')], []), []],
    ['was taken out', () => registry.setConfiguration([], []), []],
  ] as const) {
    it(`with the window starts a server that ${what} while its trust was checked: ${started.length}`, async () => {
      await setStartServers('always');
      const reader = new SettingsReader({ warn: () => undefined });
      const secrets = { questions: new InputQuestions(inputStores().remembered) };
      const starting = new StartWithWindow({ registry, settings: reader, trust, secrets });
      registry.setConfiguration([config('known')], []);
      assert.equal(lookUps, 1);
      const first = answer;
      change();
      first({ kind: 'trusted' });
      await settled();
      assert.deepEqual(asked, started);
      starting.dispose();
      reader.dispose();
      await setStartServers(undefined);
    });

    it(`when a file changes restarts a server that ${what} while its trust was checked: ${started.length}`, async () => {
      registry.setConfiguration([config('known')], []);
      await registry.start('a').catch(() => undefined);
      asked.length = 0;
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
      assert.ok(folder);
      const watch = new DevWatch({
        registry,
        trust,
        logOf: () => ({ info: () => undefined }),
        limits: { quietMs: 1 },
      });
      const file = vscode.Uri.joinPath(folder, 'watched.py');
      // Until VS Code watches, writing is seen by nobody.
      const isSeen = (): boolean => lookUps > 0;
      await until(async () => {
        await vscode.workspace.fs.writeFile(file, Buffer.from('x'));
        return isSeen();
      });
      change();
      answer({ kind: 'trusted' });
      await settled();
      assert.deepEqual(asked, started);
      watch.dispose();
      await vscode.workspace.fs.delete(file);
    });
  }

  it('with the window starts no server that would ask for a value', async () => {
    const input = (id: string): InputDefinition => {
      return { kind: 'promptString', id, source: { kind: 'setting' }, isPassword: true };
    };
    const stores = inputStores();
    await stores.remembered.set({ kind: 'setting', path: '', id: 'known' }, true, 'value');
    const secrets = { questions: new InputQuestions(stores.remembered) };
    const wanting = (id: string): ServerConfig => ({ ...config(id), id, inputs: [input(id)] });
    await setStartServers('always');
    const reader = new SettingsReader({ warn: () => undefined });
    const trusted = { stateOf: async () => ({ kind: 'trusted' }) as const };
    const starting = new StartWithWindow({ registry, settings: reader, trust: trusted, secrets });
    registry.setConfiguration([wanting('unknown'), wanting('known')], []);
    await settled();
    assert.deepEqual(asked, ['known']);
    starting.dispose();
    reader.dispose();
    await setStartServers(undefined);
  });
});
