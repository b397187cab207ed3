import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import fs, { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ToolgateApi } from '../src/api';
import { RecordedServers } from '../src/host/recording/recordedServers';
import { commands, internalCommands, recordingEditor, views } from '../src/ids';
import { makeAnything, makeWindow, type Window } from './activationWindow';

// What the bundle does in a window in which nobody uses the extension. Which files it reads can be
// told only where nothing else reads any: in a Node of its own, with no more of VS Code than it may use.

const dist = path.resolve(__dirname, '../dist');
const bundle = path.join(dist, 'extension.js');

/** Calls of functions of `node:fs`, by name, until `stop`. */
function countReads(): { readonly seen: string[]; readonly stop: () => void } {
  const seen: string[] = [];
  const undo: (() => void)[] = [];
  for (const name of Object.keys(fs).filter((each) => /^\w+Sync$/.test(each))) {
    const before: unknown = Reflect.get(fs, name);
    if (typeof before !== 'function') continue;
    const counted = (...given: unknown[]): unknown => {
      seen.push(`${name} ${String(given[0])}`);
      return Reflect.apply(before, fs, given);
    };
    Reflect.set(fs, name, Object.assign(counted, before));
    undo.push(() => void Reflect.set(fs, name, before));
  }
  const hook = createHook({
    init: (_, type) => {
      if (type.startsWith('FSREQ') || type === 'FILEHANDLE') seen.push(type);
    },
  }).enable();
  undo.push(() => void hook.disable());
  return { seen, stop: () => undo.forEach((each) => each()) };
}

interface Bundle {
  readonly activate: (context: object) => unknown;
  readonly deactivate: () => Promise<void>;
}

describe('An extension that is inactive', () => {
  let window: Window;
  let loaded: Bundle;
  const require = createRequire(__filename);
  /** What `require` of everybody ends in. */
  const loader = '_load';
  const load: unknown = Reflect.get(Module, loader);
  assert.ok(typeof load === 'function');
  /** Not those that the bundle of the test before still loads: it wakes on for a while. */
  const chunksLoaded = (): number => {
    const found = new Set<NodeJS.Module>();
    const add = (file: NodeJS.Module | undefined): void => {
      if (file === undefined || found.has(file) || !file.filename.startsWith(dist)) return;
      found.add(file);
      for (const child of file.children) add(child);
    };
    add(require.cache[bundle]);
    return found.size;
  };

  beforeEach('is loaded into a window', () => {
    window = makeWindow(mkdtempSync(path.join(tmpdir(), 'inactive-')));
    Reflect.set(Module, loader, (...given: unknown[]): unknown =>
      given[0] === 'vscode' ? window.vscode : Reflect.apply(load, Module, given),
    );
    for (const file of Object.keys(require.cache)) {
      if (file.startsWith(dist)) delete require.cache[file];
    }
    loaded = require(bundle) as Bundle;
  });

  afterEach('and gone', () => {
    Reflect.set(Module, loader, load);
    rmSync(window.folder, { recursive: true });
  });

  it('is activated at once, without reading any file', () => {
    const reads = countReads();
    const api = loaded.activate(window.context);
    reads.stop();
    assert.deepEqual(reads.seen, []);
    assert.ok(typeof api === 'object' && api !== null && !('then' in api));
    assert.deepEqual(Reflect.get(api, 'servers'), []);
  });

  it('uses the display language of the window in every part', async () => {
    const text = 'Toolgate could not be loaded. ({0})';
    window.vscode.l10n.bundle = { [text]: 'Toolgate konnte nicht geladen werden. ({0})' };
    const api = loaded.activate(window.context) as ToolgateApi;
    const { error } = await api.callTool({ server: 'demo', tool: 'add' });
    assert.match(error?.message ?? '', /^Toolgate konnte nicht geladen werden\. \(\w*Error: .+\)$/);
    const made = readFileSync(path.join(dist, 'extension.meta.json'), 'utf8');
    const { outputs } = JSON.parse(made) as { outputs: Record<string, { inputs: object }> };
    const withTexts = Object.values(outputs).filter(({ inputs }) =>
      Object.keys(inputs).some((file) => file.startsWith('node_modules/@vscode/l10n/')),
    );
    assert.equal(withTexts.length, 1);
  });

  it('shows all of its views and buttons', () => {
    loaded.activate(window.context);
    const wanted = [
      ...[...Object.values(commands), ...Object.values(internalCommands)].map(
        (id) => `command:${id}`,
      ),
      ...Object.values(views).map((id) => `view:${id}`),
      'files:toolgate',
      'files:toolgate-arguments',
      'uri:',
      'tests:toolgate',
    ];
    assert.deepEqual([...window.places].toSorted(), wanted.toSorted());
  });

  /** Whether it wanted more of VS Code than it may have here, or more of itself, after it looked. */
  async function wakes(): Promise<boolean> {
    const before = chunksLoaded();
    loaded.activate(window.context);
    for (let turn = 0; turn < 200; turn += 1) {
      await setImmediate();
      if (chunksLoaded() > before) return true;
      if (turn % 10 === 0) await fs.promises.stat(dist);
    }
    return false;
  }

  /** As soon as it wants more of itself, however busy the machine is. */
  async function untilAwake(): Promise<void> {
    const before = chunksLoaded();
    loaded.activate(window.context);
    while (chunksLoaded() === before) await setImmediate();
  }

  it('stays inactive if nothing is configured, and only checks whether files exist', async () => {
    const { seen, stop } = countReads();
    const isAwake = await wakes();
    stop();
    assert.equal(isAwake, false);
    assert.deepEqual(
      seen.filter((each) => !each.startsWith('FSREQ')),
      [],
    );
    assert.ok(seen.length > 0);
  });

  for (const file of ['.vscode/mcp.json', '.mcp.json', 'toolgate.lock.json', 'user/mcp.json']) {
    it(`is activated if there is ${file}`, async () => {
      const full = path.join(window.folder, file);
      mkdirSync(path.dirname(full), { recursive: true });
      writeFileSync(full, '{}');
      await untilAwake();
    });
  }

  for (const left of ['processes/1-00.json', 'results/machine.1.00/1']) {
    it(`is activated by what a killed window has left: ${left}`, async () => {
      const file = path.join(window.folder, 'user/globalStorage/toolgate.toolgate', left);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, '{}');
      await untilAwake();
    });
  }

  for (const [key, value] of [
    ['servers', { one: { command: 'true' } }],
    ['servers', 'no object'],
    ['demoServer.enabled', true],
    ['agents.enabled', true],
  ] as const) {
    it(`is activated if the setting ${key} is ${JSON.stringify(value)}`, async () => {
      window.settings[key] = value;
      await untilAwake();
    });
  }

  it('hides the other views during activation, and still handles links and its files', async () => {
    window.settings['servers'] = { one: { command: 'true' } };
    for (const part of [window.vscode, Reflect.get(window.vscode, 'Uri') as object]) {
      Object.setPrototypeOf(part, makeAnything());
    }
    loaded.activate(window.context);
    const isThere = () => window.places.has('tests:toolgate');
    while (isThere()) await setImmediate();
    const left = ['files:toolgate', 'files:toolgate-arguments', 'uri:'];
    assert.deepEqual([...window.places].toSorted(), left);
  });

  it('registers nothing in a window that closes during activation', async () => {
    window.settings['servers'] = { one: { command: 'true' } };
    Object.setPrototypeOf(window.vscode, makeAnything());
    Object.setPrototypeOf(Reflect.get(window.vscode, 'Uri'), makeAnything());
    const before = chunksLoaded();
    loaded.activate(window.context);
    while (chunksLoaded() === before) await setImmediate();
    await loaded.deactivate();
    const kept = Reflect.get(window.context, 'subscriptions') as { dispose: () => void }[];
    for (const each of kept.splice(0)) each.dispose();
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();
    await fs.promises.stat(dist);
    assert.deepEqual([[...window.places], kept], [[], []]);
  });

  it('is activated with configured servers while secret storage does not answer', async () => {
    const secrets = { ...Reflect.get(window.context, 'secrets') };
    const keys = () => new Promise(() => undefined);
    Reflect.set(window.context, 'secrets', { ...secrets, keys });
    writeFileSync(path.join(window.folder, '.mcp.json'), '{}');
    await untilAwake();
  });

  it('is activated by a recording, whose editor waits for its content', async () => {
    const { vscode } = window;
    const TabInputCustom: unknown = Reflect.get(vscode, 'TabInputCustom');
    assert.ok(typeof TabInputCustom === 'function');
    const input: unknown = Reflect.construct(TabInputCustom, [recordingEditor]);
    const of: unknown = Reflect.get(vscode, 'window');
    assert.ok(typeof of === 'object' && of !== null);
    const { tabGroups } = of as { tabGroups: { all: unknown[] } };
    tabGroups.all.push({ tabs: [{ input }] });
    await untilAwake();
  });

  for (const language of ['mcpcall', 'json']) {
    const does = language === 'mcpcall' ? 'is activated' : 'stays inactive';
    it(`${does} if a Markdown file with a block of ${language} is open`, async () => {
      const { workspace } = window.vscode;
      workspace.textDocuments.push({
        uri: { scheme: 'file', path: '/book.md' },
        languageId: 'markdown',
        getText: () => `# mcpcall\n\n\`\`\`${language}\n{}\n\`\`\`\n`,
      });
      if (language === 'mcpcall') await untilAwake();
      else assert.equal(await wakes(), false);
    });
  }

  for (const isRemoved of [false, true]) {
    const words = isRemoved
      ? 'stays inactive if a server was removed'
      : 'is activated if there is a server';
    it(`${words} that answers from a recording`, async () => {
      const { remembered } = window;
      const get = (key: string) => remembered[key];
      const update = (key: string, value: unknown) =>
        Promise.resolve(void (remembered[key] = value));
      const recorded = new RecordedServers({ memento: { get, update }, program: bundle });
      const id = recorded.add({ file: '/one.mcprecord', server: 'one' });
      if (isRemoved) recorded.remove(id);
      if (isRemoved) assert.equal(await wakes(), false);
      else await untilAwake();
    });
  }

  it('is activated by sign-ins, which are in the Accounts menu', async () => {
    const secrets = { ...Reflect.get(window.context, 'secrets') };
    const keys = () => Promise.resolve(['authorization:grants']);
    Reflect.set(window.context, 'secrets', { ...secrets, keys });
    await untilAwake();
  });
});
