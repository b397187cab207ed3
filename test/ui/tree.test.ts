import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Emitter } from 'vscode-jsonrpc/node';
import { McpError } from '../../src/core/errors';
import type { Revision } from '../../src/core/types';
import type { ConfigProblem } from '../../src/host/configuration/serverConfig';
import type { RegistryChange, Server } from '../../src/host/connections/snapshot';
import { unknownListing } from '../../src/host/resources/serverLists';
import { commands, contextValues, internalCommands } from '../../src/ids';
import { toolDefinitionText } from '../../src/ui/definitions/definitionText';
import type { ServerTree } from '../../src/ui/tree/serverTree';
import { nothingKnown } from '../host/treeModels';
import { serverTreeOf } from './serverTrees';
import { noLists } from '../host/treeModels';
import { noFilter } from '../../src/ui/picking/toolFilter';
import { ToolFilterState } from '../../src/ui/tree/toolFilterState';
import type { Row } from '../../src/ui/tree/treeRows';
import { configProblem, entryOf, serverOf, Snapshots, toolOf } from '../host/treeFixtures';

class LiveSnapshots extends Snapshots {
  readonly #onDidChange = new Emitter<RegistryChange>();
  readonly onDidChange = this.#onDidChange.event;

  fire(change: RegistryChange): void {
    this.#onDidChange.fire(change);
  }
}

const noStorage = { get: () => undefined, update: () => Promise.resolve() };

function labelOf(item: vscode.TreeItem): string {
  return typeof item.label === 'string' ? item.label : (item.label?.label ?? '');
}

function iconOf(item: vscode.TreeItem): string {
  return item.iconPath instanceof vscode.ThemeIcon ? item.iconPath.id : '';
}

describe('The tree of servers and tools', () => {
  let source: LiveSnapshots;
  let filter: ToolFilterState;
  let tree: ServerTree;

  function open(servers: readonly Server[], problems: readonly ConfigProblem[] = []): void {
    source = new LiveSnapshots(servers, problems);
    filter = new ToolFilterState(noStorage);
    tree = serverTreeOf(source, filter);
  }

  afterEach(() => {
    tree.dispose();
    filter.dispose();
  });

  function picture(rows: readonly Row[] = tree.getChildren(), indent = ''): string[] {
    return rows.flatMap((row) => {
      const item = tree.getTreeItem(row);
      const text = `${indent}[${iconOf(item)}] ${labelOf(item)} | ${String(item.description)}`;
      return [text, ...picture(tree.getChildren(row), `${indent}  `)];
    });
  }

  function rowNamed(label: string, rows: readonly Row[] = tree.getChildren()): Row {
    const all = rows.flatMap((row) => [row, ...tree.getChildren(row)]);
    const found = all.find((row) => labelOf(tree.getTreeItem(row)) === label);
    assert.ok(found, `no row ${label}`);
    return found;
  }

  function resolved(label: string): vscode.TreeItem {
    const row = rowNamed(label);
    return tree.resolveTreeItem(tree.getTreeItem(row), row);
  }

  function spoken(label: string): string | undefined {
    return tree.getTreeItem(rowNamed(label)).accessibilityInformation?.label;
  }

  function look(label: string): unknown[] {
    const { contextValue, collapsibleState } = tree.getTreeItem(rowNamed(label));
    return [contextValue, collapsibleState];
  }

  function action(label: string): unknown[] | undefined {
    const { command } = tree.getTreeItem(rowNamed(label));
    return command && [command.command, ...(command.arguments ?? [])];
  }

  function ids(): (string | undefined)[] {
    return tree
      .getChildren()
      .flatMap((row) => [row, ...tree.getChildren(row)])
      .map((row) => tree.getTreeItem(row).id);
  }

  const announced = (): Promise<readonly Row[] | undefined> =>
    new Promise((resolve) => {
      const listening = tree.onDidChangeTreeData((rows) => {
        listening.dispose();
        resolve(rows);
      });
    });

  it('shows state, risk and problems as icon and text', () => {
    open(
      [
        serverOf('files', [
          toolOf('read', { title: 'Read File', annotations: { readOnlyHint: true } }),
          toolOf('append', { annotations: { destructiveHint: false, title: 'Append' } }),
          toolOf('drop', { annotations: { destructiveHint: true } }),
          toolOf('bare'),
          toolOf('odd', { callable: false, problems: [{ code: 'inputSchemaMissing' }] }),
        ]),
        serverOf('off', [], { state: { kind: 'stopped' } }),
        serverOf('asked', [], { state: { kind: 'starting', isHeld: true } }),
        serverOf('soon', [], { state: { kind: 'starting' } }),
        serverOf('later', [], { state: { kind: 'starting', isInstalling: true } }),
        serverOf('away', [], { state: { kind: 'stopped' }, signIn: { kind: 'needed' } }),
        serverOf('left', [], { state: { kind: 'stopped' }, signIn: { kind: 'signedOut' } }),
        serverOf('lost', [toolOf('bare')], { signIn: { kind: 'needed' } }),
        serverOf('broken', [], {
          state: { kind: 'failed', error: new McpError('programNotFound', { detail: 'nope' }) },
          garbageLines: 1,
        }),
      ],
      [configProblem()],
    );
    assert.deepEqual(picture(), [
      '[error] Not valid JSON | Setting "toolgate.servers"',
      '[vm-running] files | 5 tools',
      '  [eye] Read File | read-only · read',
      '  [diff-added] Append | adds only · append',
      '  [flame] drop | destructive',
      '  [warning] bare | destructive?',
      '  [circle-slash] odd | not callable',
      '[vm-outline] off | stopped',
      '[watch] asked | waiting…',
      '[loading~spin] soon | starting…',
      '[loading~spin] later | installing…',
      '[key] away | sign-in required',
      '[key] left | signed out',
      '[key] lost | 1 tool · sign-in required',
      '  [warning] bare | destructive?',
      '[error] broken | failed',
      '  [error] Program not found | Open Configuration',
      '  [warning] Not MCP on stdout | 1 line',
    ]);
  });

  it('names the revision of a server only if two newer ones are published', () => {
    const serverInfo = { name: 'fixture', version: '1' };
    const of = (id: string, revision: Revision) =>
      serverOf(id, [], { state: { kind: 'running', revision, serverInfo, startedAt: 0 } });
    open([
      of('a', '2026-07-28'),
      of('b', '2025-11-25'),
      of('c', '2025-06-18'),
      of('d', '2024-11-05'),
    ]);
    assert.deepEqual(picture(), [
      '[vm-running] a | 0 tools',
      '[vm-running] b | 0 tools',
      '[vm-running] c | 0 tools · 2025-06-18',
      '[vm-running] d | 0 tools · 2024-11-05',
    ]);
    const { tooltip } = resolved('a');
    assert.ok(tooltip instanceof vscode.MarkdownString);
    assert.match(tooltip.value, /2026&#45;07&#45;28/);
  });

  it('marks the last known tools of a server that is not running, in row, tooltip and definition', () => {
    const listedAt = Date.UTC(2026, 0, 2);
    const inputSchema = { properties: { item: { type: 'string' } }, required: ['item'] };
    const entry = entryOf('shop', toolOf('buy', { inputSchema }));
    const lastKnown = {
      of: () => [entry],
      isRead: () => true,
      listedAt: () => listedAt,
      wasOpen: () => true,
      onDidChange: () => new vscode.Disposable(() => undefined),
    };
    filter = new ToolFilterState(noStorage);
    source = new LiveSnapshots([serverOf('shop', [], { state: { kind: 'stopped' } })]);
    tree = serverTreeOf(source, filter, { lastKnown });
    assert.deepEqual(picture(), [
      '[vm-outline] shop | stopped',
      '  [warning] buy | destructive? · last known',
    ]);
    assert.equal(spoken('buy'), 'buy, destructive, assumed, last known');
    assert.equal(look('buy')[0], contextValues.lastKnownTool);
    const sentence = /Listed by its server on .*2026.*\. Calling it starts the server first\./;
    const { tooltip } = resolved('buy');
    assert.ok(tooltip instanceof vscode.MarkdownString);
    assert.match(
      tooltip.value,
      /Listed by its server on .*2026.* Calling it starts the server first/,
    );
    const facts = {
      entry,
      serverLabel: 'shop',
      pin: { kind: 'known' },
      calls: [],
      listedAt,
    } as const;
    const text = toolDefinitionText(facts);
    assert.match(text, /^buy\n===\nTool “buy” of server “shop”\n/);
    assert.match(text, sentence);
    assert.match(text, /item +string +yes\n/);
    assert.match(text, /No calls in the history of this workspace\./);
  });

  it('tells a screen reader the same as text', () => {
    const title = 'Read File';
    open([
      serverOf('files', [
        toolOf('bare'),
        toolOf('odd', { callable: false }),
        toolOf('read', { title, app: { resourceUri: 'ui://read' } }),
      ]),
      serverOf('broken', [], { state: { kind: 'failed', error: new McpError('timeout') } }),
    ]);
    assert.equal(spoken('files'), 'Server files: 3 tools');
    assert.equal(spoken('bare'), 'bare, destructive, assumed');
    assert.equal(spoken('odd'), 'odd, not callable');
    assert.equal(spoken(title), 'Read File, destructive, assumed, app, read');
    assert.match(spoken('No answer in time') ?? '', /^Problem: Server “broken” did not answer/);
  });

  it('sets context values for menus, and expands servers that have something to show', () => {
    open([
      serverOf('files', [toolOf('bare'), toolOf('odd', { callable: false })]),
      serverOf('off', [], { state: { kind: 'stopped' } }),
      serverOf(
        'many',
        Array.from({ length: 101 }, (_, n) => toolOf(`t${n}`)),
      ),
    ]);
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    assert.deepEqual(look('files'), [contextValues.serverRunningLocal, Expanded]);
    assert.deepEqual(look('bare'), [contextValues.tool, None]);
    assert.deepEqual(look('odd'), [contextValues.brokenTool, None]);
    assert.deepEqual(look('off'), [contextValues.serverStopped, None]);
    assert.deepEqual(look('many'), [contextValues.serverRunningLocal, Collapsed]);
  });

  it('runs the default action of a row, and never starts a server', () => {
    open([
      serverOf('files', [toolOf('bare'), toolOf('odd', { callable: false })]),
      serverOf('off', [], { state: { kind: 'stopped' } }),
      serverOf('untrusted', [], {
        state: { kind: 'failed', error: new McpError('untrustedWorkspace') },
      }),
      serverOf('quiet', [], { state: { kind: 'failed', error: new McpError('exitedEarly') } }),
    ]);
    assert.deepEqual(action('bare'), [internalCommands.pressTool, rowNamed('bare')]);
    assert.deepEqual(action('odd'), [commands.showDefinition, rowNamed('odd'), 'keepsFocus']);
    assert.equal(action('off'), undefined);
    assert.deepEqual(action('Workspace not trusted'), ['workbench.trust.manage']);
    assert.deepEqual(action('Exited while starting'), [
      commands.showServerLog,
      rowNamed('Exited while starting'),
    ]);
    filter.preview({ ...noFilter, text: 'nothing like it' });
    assert.deepEqual(action('No tool matches the filter'), [commands.clearFilter]);
  });

  it('leads from a server without known tools to them: to its start, or to the missing sign-in', () => {
    const state = { kind: 'stopped' } as const;
    const servers = [
      serverOf('off', [], { state }),
      serverOf('away', [], { state, signIn: { kind: 'needed' } }),
    ];
    source = new LiveSnapshots(servers);
    filter = new ToolFilterState(noStorage);
    const lastKnown = { ...nothingKnown, isRead: () => true };
    const processes = { startsWhenOpened: () => true };
    tree = serverTreeOf(source, filter, { lastKnown, processes });
    assert.deepEqual(action('Start Server'), [commands.startServer, rowNamed('Start Server')]);
    assert.deepEqual(action('Sign In'), [commands.signIn, rowNamed('Sign In')]);
  });

  it('shows text of a server as plain text', () => {
    open([
      serverOf('files', [
        toolOf('bare', {
          title: '$(flame) **T**\u202E',
          description: '[press](command:quit) <b>https://example.com',
          problems: [{ code: 'fieldIgnored', detail: '`icons`' }],
        }),
      ]),
    ]);
    const item = resolved('$(flame) **T**\\u{202E}');
    assert.ok(item.tooltip instanceof vscode.MarkdownString);
    const { value, isTrusted, supportHtml, supportThemeIcons } = item.tooltip;
    assert.deepEqual([isTrusted, supportHtml, supportThemeIcons], [false, false, false]);
    assert.doesNotMatch(value, /\]\(|<b>|https:|`|\$\(/);
    assert.match(value, /press/);
    assert.match(value, /^- destructiveHint&#58; yes &#40;assumed&#41;$/m);
    assert.match(value, /icons/);
  });

  it('keeps arguments and headers of the configuration out of the tooltip', () => {
    const files = serverOf('files', []);
    const config = (transport: Server['config']['transport']): Server => ({
      ...files,
      config: { ...files.config, transport },
    });
    const secret = 'swordfish';
    for (const reach of [
      { kind: 'stdio', command: 'node', args: [secret], env: { KEY: secret } },
      { kind: 'http', url: `https://u:${secret}@host/p?k=${secret}`, headers: { key: secret } },
    ] as const) {
      open([config(reach)]);
      const { tooltip } = resolved('files');
      assert.ok(tooltip instanceof vscode.MarkdownString);
      assert.doesNotMatch(tooltip.value, new RegExp(secret));
      tree.dispose();
      filter.dispose();
    }
  });

  it('reports changes of one turn together, and only of the changed rows', async () => {
    open([serverOf('a', [toolOf('x')]), serverOf('b', []), serverOf('c', [])]);
    const [a, b] = tree.getChildren();
    const told = announced();
    source.fire({ kind: 'state', id: 'a' });
    source.fire({ kind: 'tools', id: 'a' });
    source.fire({ kind: 'state', id: 'b' });
    assert.deepEqual(await told, [a, b]);

    const toldAll = announced();
    source.fire({ kind: 'state', id: 'a' });
    source.fire({ kind: 'servers' });
    source.fire({ kind: 'tools', id: 'b' });
    assert.equal(await toldAll, undefined);
  });

  it('refreshes only the branch whose list changed, unless other rows are there', async () => {
    const changed = new Emitter<string>();
    let listing = unknownListing;
    let isDeclared = true;
    source = new LiveSnapshots([serverOf('a', [toolOf('x')])], []);
    filter = new ToolFilterState(noStorage);
    const resources = {
      ...noLists.resources,
      has: () => isDeclared,
      of: () => listing,
      onDidChange: changed.event,
    };
    tree = serverTreeOf(source, filter, { lists: { ...noLists, resources } });
    const [a] = tree.getChildren();
    const [, branch] = tree.getChildren(a);
    const toldServer = announced();
    source.fire({ kind: 'tools', id: 'a' });
    assert.deepEqual(await toldServer, [a]);

    const toldBranch = announced();
    listing = { ...listing, state: 'listed' };
    changed.fire('a');
    assert.deepEqual(await toldBranch, [branch]);

    const toldBoth = announced();
    changed.fire('a');
    source.fire({ kind: 'state', id: 'a' });
    assert.deepEqual(await toldBoth, [a]);

    const toldGone = announced();
    isDeclared = false;
    listing = { ...listing };
    changed.fire('a');
    assert.deepEqual(await toldGone, [a]);
  });

  it('filters at once, marks matches, and counts the remaining rows', async () => {
    open([serverOf('files', [toolOf('read_file'), toolOf('list')])]);
    const told = announced();
    filter.preview({ ...noFilter, text: 'FILE' });
    assert.deepEqual(picture(), [
      '[vm-running] files | 1 of 2 tools',
      '  [warning] read_file | destructive?',
    ]);
    assert.deepEqual(tree.getTreeItem(rowNamed('read_file')).label, {
      label: 'read_file',
      highlights: [[5, 9]],
    });
    assert.deepEqual(await told, tree.getChildren());
  });

  it('filters visible tools with each letter, and the others when typing pauses', async () => {
    const tools = Array.from({ length: 300 }, (_, n) => toolOf(`file_${n}`));
    open([serverOf('many', [...tools, toolOf('other')]), serverOf('few', [toolOf('file')])]);
    const [many, few] = tree.getChildren();
    assert.ok(many && few);
    const toldTyped = announced();
    filter.preview({ ...noFilter, text: 'file' });
    const typed = tree.getChildren(many);
    assert.equal(typed.length, 100);
    assert.equal(tree.getTreeItem(many).description, '300 of 301 tools');
    assert.deepEqual(await toldTyped, [many, few]);
    assert.deepEqual(await announced(), [many]);
    const whole = tree.getChildren(many);
    assert.equal(whole.length, 300);
    assert.deepEqual(whole.slice(0, 100), typed);
  });

  it('gives every row a unique id that stays the same in a new list', () => {
    open([serverOf('files', [toolOf('a'), toolOf('b')]), serverOf('files2', [toolOf('a')])]);
    const before = ids();
    assert.equal(new Set(before).size, 5);
    source.servers = [
      serverOf('files', [toolOf('b'), toolOf('a')]),
      serverOf('files2', [toolOf('a')]),
    ];
    assert.deepEqual(new Set(ids()), new Set(before));
  });

  it('creates the rows of 20,000 tools page by page', () => {
    open([
      serverOf(
        'many',
        Array.from({ length: 20_000 }, (_, n) =>
          toolOf(`tool_${n}`, { description: 'x'.repeat(300) }),
        ),
      ),
    ]);
    const [server] = tree.getChildren();
    assert.ok(server);
    const [page] = tree.getChildren(server);
    assert.ok(page);
    assert.equal(labelOf(tree.getTreeItem(page)), 'Tools 1 to 1000');
    assert.equal(tree.getTreeItem(page).description, 'tool_0 … tool_999');
    assert.equal(tree.getChildren(page).length, 1_000);
  });
});
