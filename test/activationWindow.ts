import assert from 'node:assert/strict';
import path from 'node:path';

/** The places that were registered for, as `kind:name`. */
type Places = Set<string>;

/** An extension host as far as one bundle sees it. */
export interface Window {
  readonly folder: string;
  readonly places: Places;
  readonly vscode: {
    readonly l10n: { bundle?: Record<string, string> };
    readonly workspace: { textDocuments: unknown[] };
  };
  readonly context: object;
  /** Of the settings; the rest is as the manifest says. */
  readonly settings: Record<string, unknown>;
  /** For the workspace. */
  readonly remembered: Record<string, unknown>;
}

/** What a window has of VS Code, as far as an extension that is inactive may use it. */
export function makeWindow(folder: string): Window {
  const places: Places = new Set();
  const settings: Record<string, unknown> = {};
  const remembered: Record<string, unknown> = {};
  const place = (kind: string, name: string) => {
    assert.ok(!places.has(`${kind}:${name}`), `${kind}:${name} twice`);
    places.add(`${kind}:${name}`);
    return { dispose: () => places.delete(`${kind}:${name}`) };
  };
  const event = () => ({ dispose: () => undefined });
  class Disposable {
    constructor(readonly dispose: () => void) {}
    static from(...parts: { dispose: () => void }[]) {
      return { dispose: () => parts.forEach((part) => part.dispose()) };
    }
  }
  class EventEmitter {
    readonly event = event;
    fire(): void {}
    dispose(): void {}
  }
  class TabInputCustom {
    constructor(readonly viewType: string) {}
  }
  const uri = (file: string) => ({ scheme: 'file', path: file, fsPath: file });
  const watcher = { onDidCreate: event, onDidChange: event, onDidDelete: event, dispose: event };
  const vscode = {
    Disposable,
    EventEmitter,
    MarkdownString: String,
    RelativePattern: Array,
    TabInputCustom,
    TestRunProfileKind: { Run: 1 },
    Uri: {
      file: uri,
      joinPath: (base: { path: string }, ...parts: string[]) => uri(path.join(base.path, ...parts)),
    },
    l10n: {},
    env: { language: 'en' },
    commands: { registerCommand: (id: string) => place('command', id) },
    tests: {
      createTestController: (id: string) => ({
        ...place('tests', id),
        createRunProfile: () => ({}),
      }),
    },
    window: {
      registerTreeDataProvider: (id: string) => place('view', id),
      registerUriHandler: () => place('uri', ''),
      onDidChangeWindowState: event,
      tabGroups: { all: [], onDidChangeTabs: event },
    },
    workspace: {
      workspaceFolders: [{ uri: uri(folder), name: 'folder', index: 0 }],
      textDocuments: [] as unknown[],
      getConfiguration: () => ({ get: (key: string) => settings[key] }),
      createFileSystemWatcher: () => watcher,
      registerFileSystemProvider: (name: string) => place('files', name),
      onDidChangeWorkspaceFolders: event,
      onDidChangeConfiguration: event,
      onDidOpenTextDocument: event,
    },
  };
  const context = {
    subscriptions: [],
    globalStorageUri: uri(path.join(folder, 'user/globalStorage/toolgate.toolgate')),
    secrets: { keys: () => Promise.resolve([]), onDidChange: event },
    workspaceState: { get: (key: string) => remembered[key] },
  };
  return { folder, places, vscode, context, settings, remembered };
}

/** A class, a function and an object, whatever is wanted of it: enough to load what uses it. */
export function makeAnything(): object {
  return new Proxy(Map, {
    get: (made, key) => {
      const own: unknown = Reflect.get(made, key);
      return own === undefined && typeof key === 'string' ? makeAnything() : own;
    },
    apply: () => makeAnything(),
  });
}
