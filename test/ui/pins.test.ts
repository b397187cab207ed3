import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { Emitter } from 'vscode-jsonrpc/node';
import type { Tool } from '../../src/core/types';
import type { RegistryChange, Server } from '../../src/host/connections/snapshot';
import { toolFingerprint } from '../../src/host/consent/facts/fingerprints';
import { parseLockFile } from '../../src/host/consent/pins/lockFile';
import { lockServerChange } from '../../src/host/consent/pins/lockFileEdits';
import { LockFiles } from '../../src/host/consent/pins/lockFiles';
import { ToolFingerprints } from '../../src/host/consent/pins/pinDefinition';
import type { ToolMarks } from '../../src/host/consent/pins/pinFileFormat';
import { commands, contextValues, extensionId, lockFileName } from '../../src/ids';
import { registerLockFileCommands } from '../../src/ui/consent/toolChanges/lockFileCommands';
import { LockFileProblems } from '../../src/ui/consent/toolChanges/lockFileProblems';
import { parseJson } from '../../src/core/json/parseJson';
import {
  definitionText,
  ToolChangeDocuments,
} from '../../src/ui/consent/toolChanges/toolChangeDocuments';
import { formatChangeCount } from '../../src/ui/format/formatToolChange';
import {
  registerToolChangeCommands,
  acceptToolChanges,
  toolChanges,
} from '../../src/ui/consent/toolChanges/toolChangeCommands';
import { markOwnArgument } from '../../src/ui/editor/ownArguments';
import type { ServerTree } from '../../src/ui/tree/serverTree';
import { serverTreeOf } from './serverTrees';
import { noFilter } from '../../src/ui/picking/toolFilter';
import { ToolFilterState } from '../../src/ui/tree/toolFilterState';
import type { Row } from '../../src/ui/tree/treeRows';
import { serverOf, Snapshots, toolOf } from '../host/treeFixtures';
import { eventually, untilEvent } from '../waiting';
import { atEnd, commandsOf, diffInFront, replace } from './replacing';
import { assertEach } from '../assertions';
import { fixesOf } from './lenses';
import { answersOfTest } from './windowAnswers';

class LiveSnapshots extends Snapshots {
  readonly #onDidChange = new Emitter<RegistryChange>();
  readonly onDidChange = this.#onDidChange.event;

  fire(change: RegistryChange): void {
    this.#onDidChange.fire(change);
  }
}

/** Marks as they would be held, without anything behind them. */
class Marks {
  readonly #onDidChange = new Emitter<string>();
  readonly onDidChange = this.#onDidChange.event;
  current: ToolMarks = marksOf({});

  marks(): ToolMarks {
    return this.current;
  }

  set(marks: Partial<Record<keyof ToolMarks, readonly string[]>>): void {
    this.current = marksOf(marks);
    this.#onDidChange.fire('files');
  }
}

function marksOf(marks: Partial<Record<keyof ToolMarks, readonly string[]>>): ToolMarks {
  return {
    new: new Set(marks.new ?? []),
    changed: new Set(marks.changed ?? []),
    gone: marks.gone ?? [],
  };
}

const noStorage = { get: () => undefined, update: () => Promise.resolve() };

describe('The tree of servers whose tools changed', () => {
  let marks: Marks;
  let filter: ToolFilterState;
  let tree: ServerTree;

  beforeEach(() => {
    marks = new Marks();
    filter = new ToolFilterState(noStorage);
    const twin = toolOf('read', { callable: false });
    const tools = [toolOf('read', { title: 'Read' }), toolOf('sort'), twin];
    tree = serverTreeOf(new LiveSnapshots([serverOf('files', tools)]), filter, { pins: marks });
  });
  afterEach(() => {
    tree.dispose();
    filter.dispose();
  });

  const rows = (): Row[] =>
    tree.getChildren().flatMap((server) => [server, ...tree.getChildren(server)]);
  const lines = () =>
    rows().map((row) => {
      const { label, description, contextValue } = tree.getTreeItem(row);
      const text = typeof label === 'string' ? label : label?.label;
      return `${text} | ${String(description)} | ${contextValue}`;
    });
  const spoken = () => rows().map((row) => tree.getTreeItem(row).accessibilityInformation?.label);

  it('shows changes first, and has a row for a removed tool', () => {
    marks.set({ new: ['sort'], changed: ['read'], gone: ['print', 'old\u202e'] });
    assert.deepEqual(lines(), [
      `files | 4 tool changes · 3 tools | ${contextValues.serverRunningLocal}`,
      `Read | changed · destructive? · read | ${contextValues.changedTool}`,
      `sort | new · destructive? | ${contextValues.newTool}`,
      `Read | not callable | ${contextValues.brokenTool}`.replace('Read', 'read'),
      `print | removed | ${contextValues.goneTool}`,
      `old\\u{202E} | removed | ${contextValues.goneTool}`,
    ]);
    const said = spoken();
    assert.deepEqual(said.slice(1, 5), [
      'Read, changed, destructive, assumed, read',
      'sort, new, destructive, assumed',
      'read, not callable',
      'print, removed',
    ]);
  });

  it('shows the definition of a removed tool on Enter, and calls nothing', () => {
    marks.set({ gone: ['print'] });
    const gone = rows().at(-1);
    assert.ok(gone);
    const { command, tooltip } = tree.resolveTreeItem(tree.getTreeItem(gone), gone);
    assert.deepEqual([command?.command, command?.arguments], [commands.showToolChanges, [gone]]);
    assert.ok(tooltip instanceof vscode.MarkdownString);
    assert.equal(tree.getParent(gone), tree.getChildren()[0]);
  });

  it('updates when changes are accepted, and notifies only for the server', async () => {
    const told = new Promise((resolve) => tree.onDidChangeTreeData(resolve));
    marks.set({ changed: ['read'] });
    assert.deepEqual(await told, tree.getChildren());
    assert.match(lines()[0] ?? '', /^files \| 1 changed · 3 tools/);
    marks.set({});
    assert.match(lines()[0] ?? '', /^files \| 3 tools/);
  });

  it('filters removed tools by their name only', () => {
    marks.set({ gone: ['print', 'prune'] });
    const shown = (more: object) => {
      filter.preview({ ...noFilter, ...more });
      return rows().flatMap((row) => (row.kind === 'gone' ? [row.toolName] : []));
    };
    assert.deepEqual(shown({ text: 'PR int' }), ['print']);
    assert.deepEqual(shown({ levels: new Set(['readOnly']) }), []);
    assert.deepEqual(shown({}), ['print', 'prune']);
  });

  it('shows a limited number of removed tools, and counts all of them', () => {
    marks.set({ gone: Array.from({ length: 20_000 }, (_, n) => `tool_${n}`) });
    assert.equal(rows().filter(({ kind }) => kind === 'gone').length, 500);
    assert.match(lines()[0] ?? '', /^files \| 20000 removed · 3 tools/);
  });

  it('says the kind of changes with their number, if there is only one kind', () => {
    const words = (...marked: Parameters<typeof marksOf>) => formatChangeCount(marksOf(...marked));
    assert.deepEqual(
      [
        {},
        { new: ['a'] },
        { changed: ['a', 'b'] },
        { gone: ['a'] },
        { new: ['a'], gone: ['b'] },
      ].map((marked) => words(marked)),
      ['', '1 new', '2 changed', '1 removed', '2 tool changes'],
    );
  });
});

describe('Changes of tools', () => {
  it('are accepted at once only from a drawn row, and otherwise after a choice', async () => {
    const skill = 'skill://files/read/SKILL.md';
    const marks = new Marks();
    marks.set({ changed: ['read', skill] });
    // A server can name a tool like a skill.
    const server = serverOf('files', [toolOf('read'), toolOf(skill)]);
    const accepted: string[] = [];
    const pinsOf = (kind: string) => ({
      marks: () => marks.marks(),
      definition: () => Promise.resolve(undefined),
      acceptChanges: (_: Server['config'], { tools }: { readonly tools: readonly Tool[] }) =>
        Promise.resolve(void accepted.push(...tools.map(({ name }) => kind + name))),
    });
    const asked: unknown[] = [];
    replace(vscode.window, {
      showQuickPick: (items: unknown) => Promise.resolve(void asked.push(items)),
    });
    const handlers = commandsOf(() =>
      registerToolChangeCommands({
        registry: new Snapshots([server]),
        pins: pinsOf('tool '),
        skills: { servers: [serverOf('files', [toolOf(skill)])], pins: pinsOf('skill ') },
        documents: { show: () => Promise.resolve(), showDiff: () => Promise.resolve() },
      }),
    );
    const accept = handlers.get(commands.acceptToolChanges) ?? assert.fail();
    const row = { kind: 'tool', key: 'x', serverId: 'files', toolName: 'read' };
    for (const given of [row, { ...row }, { serverId: 'files', toolName: 'read' }, 'files']) {
      await accept(given);
    }
    assert.deepEqual([accepted, asked.length], [[], 4]);
    const [row1] = Array.isArray(asked[0]) ? asked[0] : [];
    assert.deepEqual(
      [row1.label, row1.description, row1.picked],
      ['read', 'changed · files', true],
    );
    const ofServer = Array.isArray(asked[3]) ? asked[3] : [];
    assertEach(ofServer, ({ label, description }) => `${label} ${description}`, [
      'read changed · files',
      `${skill} changed · files`,
      `${skill} skill · changed · files`,
    ]);
    await accept(markOwnArgument(row));
    assert.deepEqual([accepted.splice(0), asked.length], [['tool read'], 4]);
    await accept(markOwnArgument({ kind: 'skill', key: 'y', serverId: 'files', uri: skill }));
    await accept(markOwnArgument({ ...row, key: 'z', toolName: skill }));
    assert.deepEqual([accepted, asked.length], [[`skill ${skill}`, `tool ${skill}`], 4]);
  });

  it('are accepted as they were shown, and nothing else', async () => {
    const marks = new Marks();
    marks.set({ new: ['sort'], changed: ['read'], gone: ['print'] });
    const [read, sort] = [toolOf('read'), toolOf('sort')];
    const server = serverOf('files', [read, sort, toolOf('kept')]);
    const changes = toolChanges(new Snapshots([server]), marks);
    const accepted: unknown[] = [];
    const pins = {
      acceptChanges: (config: Server['config'], what: unknown) => {
        accepted.push([config.id, what]);
        return Promise.resolve();
      },
    };
    await acceptToolChanges(pins, changes);
    await acceptToolChanges(
      pins,
      changes.filter(({ kind }) => kind === 'new'),
    );
    assert.deepEqual(accepted, [
      ['files', { tools: [read, sort], gone: ['print'] }],
      ['files', { tools: [sort], gone: [] }],
    ]);
  });

  it('keep their texts until no tab shows them, alone or in a comparison', async () => {
    // When the extension wakes, it closes all tabs of this kind.
    await vscode.extensions.getExtension(extensionId)?.activate();
    const documents = new ToolChangeDocuments();
    atEnd(() => documents.dispose());
    const { tabGroups } = vscode.window;
    await documents.showDiff('read', 'read', 'before', 'after');
    const { original, modified } = diffInFront();
    const texts = () =>
      [original, modified].map((uri) => documents.provideTextDocumentContent(uri));
    const tabs = () =>
      tabGroups.all.flatMap((group) => group.tabs).filter(({ label }) => label === 'read');
    await vscode.commands.executeCommand('workbench.action.splitEditor');
    await eventually(tabs, ({ length }) => length === 2);
    await vscode.window.showTextDocument(modified, { preview: false });
    for (const tab of tabs()) {
      assert.deepEqual(texts(), ['before', 'after']);
      await tabGroups.close(tab);
    }
    await eventually(texts, ([text]) => text === undefined);
    assert.deepEqual(texts(), [undefined, 'after']);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await eventually(texts, ([, text]) => text === undefined);
  });

  it('show every field, sorted, and hide nothing', () => {
    const tool = toolOf('read\u200b', {
      description: 'One\r\ntwo\tthree\u{e0041}',
      inputSchema: {
        type: 'object',
        properties: { b: { type: 'string' }, a: { const: '\u202e' } },
      },
      annotations: { readOnlyHint: true },
    });
    assert.equal(
      definitionText(tool, ['inputSchema']),
      [
        'Name\nread\\u{200B}',
        'Title\n(none)',
        'Description\nOne\\r\ntwo\tthree\\u{E0041}',
        'Annotations\n{\n  "readOnlyHint": true\n}',
        [
          'Input schema\n{',
          '  "properties": {',
          '    "a": {\n      "const": "\\u{202E}"\n    },',
          '    "b": {\n      "type": "string"\n    }\n  },',
          '  "type": "object"\n}',
          '(The rest was too large to keep, but changes are still detected.)',
        ].join('\n'),
        'Output schema\n(none)',
        '',
      ].join('\n\n'),
    );
  });

  it('show every number as the server wrote it', () => {
    const text = (number: string) =>
      definitionText(toolOf('read', { inputSchema: Object(parseJson(`{"const":${number}}`)) }));
    assert.match(text('9007199254740993'), /"const": 9007199254740993\n/);
    assert.match(text('1.0'), /"const": 1\.0\n/);
  });
});

describe('The problems of a lock file', () => {
  const read = toolOf('read');
  const sort = toolOf('sort');
  let folder: string;
  let uri: vscode.Uri;
  let registry: LiveSnapshots;
  let locks: LockFiles;
  let problems: LockFileProblems;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'lock-'));
    uri = vscode.Uri.file(path.join(folder, lockFileName));
    registry = new LiveSnapshots([serverOf('files', [read, sort])]);
    locks = new LockFiles({ fileName: lockFileName, folders: () => [folder] });
    problems = new LockFileProblems({
      registry,
      locks,
      fingerprints: new ToolFingerprints(),
      redact: (text) => text.replaceAll('hunter2', ''),
    });
  });
  afterEach(async () => {
    problems.dispose();
    locks.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(folder, { recursive: true, force: true });
  });

  const own = () =>
    vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'Toolgate');
  /** What Problems shows of the file, as soon as it holds. */
  const shows = async (...expected: readonly string[]): Promise<vscode.Diagnostic[]> => {
    const lines = () => own().map(({ range, message }) => `${range.start.line + 1}: ${message}`);
    const isSo = () => JSON.stringify(lines()) === JSON.stringify(expected);
    await untilEvent(vscode.languages.onDidChangeDiagnostics, isSo, {
      notify: () => lines().join(),
    });
    return own();
  };
  const lock = async (...tools: readonly Tool[]): Promise<void> => {
    const entries = tools.map((tool) => [tool.name, toolFingerprint(tool)] as const);
    writeFileSync(uri.fsPath, lockServerChange('', 'files', new Map(entries))?.text ?? '');
    await locks.refresh();
  };

  it('are not asked about, and nothing is written, if the file is a link of a repository', async () => {
    const outside = path.join(folder, 'outside.json');
    const repository = path.join(folder, 'repository');
    mkdirSync(repository);
    symlinkSync(outside, path.join(repository, lockFileName));
    const server = serverOf('files', [read]);
    const file = path.join(repository, '.mcp.json');
    const source = { kind: 'workspaceFile', path: file, folder: repository } as const;
    registry.servers = [{ ...server, config: { ...server.config, source } }];
    const property = Object.getOwnPropertyDescriptor(vscode.workspace, 'workspaceFolders');
    atEnd(() => Object.defineProperty(vscode.workspace, 'workspaceFolders', property ?? {}));
    const folders = [{ uri: vscode.Uri.file(repository), name: 'repository', index: 0 }];
    Object.defineProperty(vscode.workspace, 'workspaceFolders', {
      ...property,
      get: () => folders,
    });
    const answers = answersOfTest();
    answers.press = () => 'Write';
    const options = {
      registry,
      pins: { marks: () => marksOf({}) },
      fingerprints: new ToolFingerprints(),
      redact: (text: string) => text,
    };
    const write = commandsOf(() => registerLockFileCommands(options)).get(commands.writeLockFile);
    for (const text of ['{ "version": 1 }', undefined]) {
      if (text === undefined) rmSync(outside);
      else writeFileSync(outside, text);
      await write?.({ serverId: 'files' });
      assert.equal(existsSync(outside) ? readFileSync(outside, 'utf8') : undefined, text);
    }
    const sentence = '“toolgate.lock.json” was not written because it is a link.';
    assert.deepEqual(answers.told, [sentence, sentence]);
  });

  const others = [
    '7: The running server has a different definition of “read”, so you are asked before calls.',
    '4: The running server has a tool “sort” that is not listed here, so you are asked before calls.',
    '6: The running server has no usable tool “print”.',
  ];

  it('are at the entries, and disappear with the server', async () => {
    await lock({ ...read, title: 'Read' }, toolOf('print'));
    await shows(...others);
    registry.servers = [serverOf('files', [], { state: { kind: 'stopped' } })];
    registry.fire({ kind: 'state', id: 'files' });
    await shows();
  });

  it('say that the whole file is invalid', async () => {
    writeFileSync(uri.fsPath, '{ "version": 7 }');
    await locks.refresh();
    const [problem] = await shows(
      '1: Unknown lock file version, so you are asked before calls to this folder’s servers. Update Toolgate.',
    );
    assert.equal(problem?.severity, vscode.DiagnosticSeverity.Warning);
  });

  it('are fixed by writing definitions if the file has any, except one with a secret', async () => {
    const now = [read, { ...sort, description: 'Sorts for hunter2.' }];
    registry.servers = [serverOf('files', now)];
    const change = lockServerChange('', 'files', new Map([['read', read] as const]));
    writeFileSync(uri.fsPath, change?.text ?? '');
    await locks.refresh();
    registry.fire({ kind: 'state', id: 'files' });
    const [problem] = await shows(
      '4: The running server has a tool “sort” that is not listed here, so you are asked before calls.',
    );
    assert.ok(problem);
    const document = await vscode.workspace.openTextDocument(uri);
    const [action] = await fixesOf(uri, problem.range);
    assert.ok(action?.edit);
    await vscode.workspace.applyEdit(action.edit);
    await document.save();
    const locked = parseLockFile(document.getText()).servers.get('files')?.tools;
    assert.equal(locked?.get('read')?.definition?.fingerprint, toolFingerprint(read));
    assert.equal(locked?.get('sort')?.definition, undefined);
    assert.doesNotMatch(document.getText(), /hunter2/);
  });

  it('are fixed one by one by their quick fixes', async () => {
    await lock({ ...read, title: 'Read' }, toolOf('print'));
    await shows(...others);
    const document = await vscode.workspace.openTextDocument(uri);
    const titles: string[] = [];
    for (let left = 3; left > 0; left -= 1) {
      const [first] = own();
      assert.ok(first);
      const action = (await fixesOf(uri, first.range)).find(({ title }) =>
        title.startsWith('Accept'),
      );
      assert.ok(action?.edit);
      titles.push(action.title);
      await vscode.workspace.applyEdit(action.edit);
      await document.save();
      await locks.refresh();
      await eventually(own, ({ length }) => length === left - 1);
    }
    assert.deepEqual(titles.toSorted(), [
      'Accept the current tool “read”',
      'Accept the current tool “sort”',
      'Accept the removal of tool “print”',
    ]);
    await shows();
    const tools = [read, sort].map(
      ({ name, ...rest }) => `"${name}": "sha256:${toolFingerprint({ name, ...rest })}"`,
    );
    assert.equal(
      document.getText(),
      `{\n  "version": 1,\n  "servers": {\n    "files": {\n      "tools": {\n        ${tools.join(',\n        ')}\n      }\n    }\n  }\n}\n`,
    );
  });
});
