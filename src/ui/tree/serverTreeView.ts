import * as vscode from 'vscode';
import type { ResourceLists } from '../../host/resources/serverLists';
import type { LastTools } from '../../host/lastTools/lastTools';
import { views } from '../../ids';
import { Debouncer } from '../editor/debouncer';
import type { DroppedFiles } from '../calls/sendToTool';
import type { LastKnown } from './branches';
import type { ListsView } from './listedRows';
import { AutoExpand, matchesToOpen, RowExpander, OpenServers } from './autoExpand';
import {
  type GroupingSource,
  type ToolMarkSource,
  type RegistryView,
  ServerTree,
  type ShownToolSet,
  typedMs,
} from './serverTree';
import type { ServerTreeProcesses } from '../servers/serverProcesses';
import type { WalkthroughProgress } from './contextKeys';
import {
  type ToolFilterState,
  formatSetName,
  formatToolFilter,
  formatToolCount,
} from './toolFilterState';
import type { BranchName, Row, ServerRow } from './treeRows';
import * as l10n from '@vscode/l10n';
import { workspace } from 'vscode';
import type { TreeModel } from './treeModel';

export interface ServerTreeViewOptions {
  readonly registry: RegistryView;
  readonly filter: ToolFilterState;
  readonly pins: ToolMarkSource;
  readonly skillPins: ToolMarkSource;
  readonly dropFiles: (files: DroppedFiles) => Promise<void>;
  readonly processes: ServerTreeProcesses;
  readonly lists: Readonly<Record<BranchName, ListsView & Pick<ResourceLists, 'renew'>>>;
  readonly grouping: GroupingSource;
  readonly walkthrough: Pick<WalkthroughProgress, 'toolViewed'>;
  readonly lastTools: LastTools;
  readonly toolSets: ShownToolSet;
  /** Workspace state. */
  readonly memento: Pick<vscode.Memento, 'get' | 'update'>;
}

/** Number of rows that even a short view shows. */
const rowsInSight = 10;

/** The view `Servers and Tools`: the tree, and above it a message about the filter. */
export class ServerTreeView implements vscode.Disposable {
  readonly tree: ServerTree;
  readonly #view: vscode.TreeView<Row>;
  readonly #filter: ToolFilterState;
  readonly #toolSets: ShownToolSet;
  readonly #subscriptions: readonly vscode.Disposable[];
  /** Servers whose row could be opened at the last update. */
  readonly #openable = new Set<string>();
  readonly #burst: AutoExpand;
  /**
   * Servers whose rows are open, or open automatically as soon as they have children again, for
   * example after a disabled server is enabled. Only the user closes a row.
   */
  readonly #open: OpenServers;
  readonly #opener: RowExpander;
  readonly #matches = new Debouncer(() => void this.#openMatching(), typedMs);

  constructor(options: ServerTreeViewOptions) {
    const { registry, filter, dropFiles, processes, lists } = options;
    this.#filter = filter;
    this.#toolSets = options.toolSets;
    this.#open = new OpenServers(options.memento);
    const lastKnown = withOpen(options.lastTools, this.#open);
    this.tree = new ServerTree({ ...options, lastKnown });
    this.#view = vscode.window.createTreeView(views.servers, {
      treeDataProvider: withLookedUp(this.tree, options, this.#open),
      showCollapseAll: true,
      dragAndDropController: new FileDrops(dropFiles),
    });
    this.#opener = new RowExpander(this.#view);
    this.#burst = new AutoExpand({
      isVisible: () => this.#view.visible,
      starting: () =>
        registry.servers.flatMap(({ config, state }) =>
          state.kind === 'starting' ? [config.id] : [],
        ),
      open: (rows, together) => void this.#openInSight(rows, new Set(together)),
    });
    this.#subscriptions = [
      this.#opener,
      this.#burst,
      this.#matches,
      filter.onDidChange(() => this.#matches.start()),
      this.tree.onDidChangeTreeData((rows) => {
        this.#showMessage();
        if (rows === undefined) this.#forgetGone();
        this.#openNew(rows ?? this.tree.getChildren());
      }),
      this.#view.onDidExpandElement(({ element }) => {
        const children = this.tree.getChildren(element);
        const isToStart = children.some(({ kind }) => kind === 'toStart');
        if (element.kind === 'server') this.#opener.opened(element.serverId);
        if (element.kind === 'server' && !this.#open.has(element.serverId)) {
          this.#open.add(element.serverId);
          if (isToStart && vscode.workspace.isTrusted) void processes.start(element.serverId);
        }
        if (element.kind === 'branch') lists[element.branch].renew(element.serverId);
      }),
      this.#view.onDidCollapseElement(({ element }) => {
        if (element.kind !== 'server' || this.#opener.isOpening(element.serverId)) return;
        this.#open.delete(element.serverId);
      }),
      this.#view.onDidChangeVisibility(() => {
        this.#burst.look();
      }),
      this.#view.onDidChangeSelection(({ selection }) => {
        if (selection.some(({ kind }) => kind === 'tool')) options.walkthrough.toolViewed();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        this.#showMessage();
        this.tree.refresh();
      }),
    ];
    this.#showMessage();
  }

  get selection(): readonly Row[] {
    return this.#view.selection;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#view.dispose();
    this.tree.dispose();
  }

  #showMessage(): void {
    // An empty message hides the message area.
    this.#view.message = treeMessage(this.tree.model, this.#filter, this.#toolSets);
  }

  /**
   * VS Code opens a row by its item only when it first draws it, so a server that starts later has
   * to be opened here.
   */
  #openNew(rows: readonly Row[]): void {
    for (const row of rows.flatMap((each) =>
      each.kind === 'origin' ? this.tree.getChildren(each) : [each],
    )) {
      if (row.kind !== 'server') continue;
      const { model } = this.tree;
      const opening = model.opening(row);
      const wasOpenable = this.#openable.has(row.serverId);
      const isRunning = model.server(row)?.state.kind !== 'stopped';
      // The last known tools are not news; the tools that a running server lists are.
      const isNews = isRunning && !(opening === 'Collapsed' && model.isLastKnown(row.serverId));
      if (opening === 'None' || !isNews) this.#openable.delete(row.serverId);
      else this.#openable.add(row.serverId);
      if (opening === 'Expanded' && !wasOpenable) this.#burst.add(row);
    }
    this.#burst.look();
  }

  /**
   * Opens rows from the bottom to the top, because VS Code scrolls to each row that it opens and
   * would move the later ones out of view. If there are several, rows below the first screen stay
   * closed. At the end the topmost row of the servers that started together is visible, even if a
   * slow one was opened last.
   */
  async #openInSight(rows: readonly ServerRow[], together: ReadonlySet<string>): Promise<void> {
    const isInSight = (row: ServerRow): boolean => this.#placeOf(row) < rowsInSight;
    await this.#openFromBelow(rows.length > 1 ? rows.filter(isInSight) : rows);
    const [first] = this.#fromAbove([...together].map((id) => this.tree.model.serverRow(id)));
    if (first !== undefined) await this.#opener.show(first);
  }

  /** Opens the servers that have matches, up to the limits. */
  async #openMatching(): Promise<void> {
    if (!this.#filter.isFiltering || !this.#view.visible) return;
    const { model } = this.tree;
    const servers = this.tree
      .getChildren()
      .flatMap((row) => (row.kind === 'origin' ? this.tree.getChildren(row) : [row]))
      .flatMap((row) => (row.kind === 'server' ? [row] : []));
    const found = matchesToOpen(servers, (row) => model.shownTools(row.serverId));
    // Opening one of these rows would start a program.
    const isToStart = (row: ServerRow): boolean =>
      model.children(row).some(({ kind }) => kind === 'toStart');
    await this.#openFromBelow(
      found.filter((row) => !this.#open.has(row.serverId) && !isToStart(row)),
    );
  }

  async #openFromBelow(rows: readonly ServerRow[]): Promise<void> {
    await Promise.all(
      this.#fromAbove(rows)
        .toReversed()
        .map(async (row) => {
          this.#open.add(row.serverId);
          // The row may have been removed meanwhile.
          await this.#opener.open(row).catch(() => this.#open.delete(row.serverId));
        }),
    );
  }

  #fromAbove(rows: readonly ServerRow[]): readonly ServerRow[] {
    const places = new Map(rows.map((row) => [row, this.#placeOf(row)]));
    const placeOf = (row: ServerRow): number => places.get(row) ?? 0;
    return rows.toSorted((one, other) => placeOf(one) - placeOf(other));
  }

  /** Number of visible rows above this one. */
  #placeOf(row: ServerRow): number {
    const above = (rows: readonly Row[]): number => {
      const end = rows.indexOf(row);
      return rows.slice(0, end < 0 ? rows.length : end).reduce((sum, each) => {
        const isOpen = each.kind === 'server' && this.#open.has(each.serverId);
        return sum + 1 + (isOpen ? this.tree.getChildren(each).length : 0);
      }, 0);
    };
    const origin = this.tree.getParent(row);
    const roots = this.tree.getChildren();
    if (origin === undefined) return above(roots);
    const before = roots.slice(0, roots.indexOf(origin));
    const others = before.reduce((sum, each) => sum + 1 + above(this.tree.getChildren(each)), 1);
    return others + above(this.tree.getChildren(origin));
  }

  /** A server that comes back gets a new row, which is closed. */
  #forgetGone(): void {
    for (const id of this.#open) {
      if (this.tree.model.server(this.tree.model.serverRow(id)) === undefined) {
        this.#open.delete(id);
      }
    }
  }
}

/** The tree with facts that are measured only when a row is hovered or drawn. */
function withLookedUp(
  tree: ServerTree,
  { processes, walkthrough, lastTools, registry }: ServerTreeViewOptions,
  open: OpenServers,
): vscode.TreeDataProvider<Row> {
  const drawn = new Set<string>();
  return {
    onDidChangeTreeData: tree.onDidChangeTreeData,
    getChildren: async (row) => {
      // The last known tools are read first, because VS Code opens a row by its item only when it
      // first draws it.
      if (row === undefined) await lastTools.read(registry.servers);
      return tree.getChildren(row);
    },
    getParent: (row) => tree.getParent(row),
    getTreeItem: (row) => {
      const item = tree.getTreeItem(row);
      if (row.kind !== 'server' || drawn.has(row.serverId)) return item;
      drawn.add(row.serverId);
      if (item.collapsibleState === vscode.TreeItemCollapsibleState.Expanded)
        open.add(row.serverId);
      return item;
    },
    resolveTreeItem: async (item, row) => {
      if (row.kind === 'tool') walkthrough.toolViewed();
      const state = row.kind === 'server' ? tree.model.server(row)?.state : undefined;
      const pid = state?.kind === 'running' ? state.pid : undefined;
      const usage = pid === undefined ? undefined : await processes.usageOf(pid);
      return tree.resolve(item, row, usage);
    },
  };
}

function withOpen(
  lastTools: LastTools,
  open: OpenServers,
): LastKnown & Pick<LastTools, 'onDidChange'> {
  return {
    of: (server) => lastTools.of(server),
    isRead: (server) => lastTools.isRead(server),
    listedAt: (server) => lastTools.listedAt(server),
    wasOpen: (serverId) => open.wasOpen(serverId),
    onDidChange: lastTools.onDidChange,
  };
}

/**
 * Returns the message above the tree: why no server starts, and what a filter hides. Empty if there
 * is none.
 */
export function treeMessage(
  model: TreeModel,
  filter: Pick<ToolFilterState, 'current' | 'isFiltering'>,
  toolSets: Pick<ShownToolSet, 'chosen' | 'sets'>,
): string {
  // The welcome view of an empty tree already says it.
  const isRestricted = !workspace.isTrusted && model.roots().length > 0;
  const { shown, all } = model.totals();
  const count = formatToolCount(shown, all);
  return [
    ...(isRestricted
      ? [l10n.t('Restricted Mode: servers cannot start until you trust this workspace.')]
      : []),
    ...setMessage(toolSets, count),
    ...(filter.isFiltering
      ? [l10n.t('Filter: {0} · {1}', formatToolFilter(filter.current), count)]
      : []),
  ].join(' ');
}

function setMessage(
  { chosen, sets }: Pick<ShownToolSet, 'chosen' | 'sets'>,
  count: string,
): readonly string[] {
  if (chosen === undefined) return [];
  const name = formatSetName(chosen);
  return sets.has(chosen)
    ? [l10n.t('Tool set: {0} · {1}', name, count)]
    : [l10n.t('Tool set “{0}” no longer exists, so no tool is shown.', name)];
}

const uriList = 'text/uri-list';

/** Accepts files from the explorer, from editor tabs and from outside, on tool rows only. */
export class FileDrops implements vscode.TreeDragAndDropController<Row> {
  readonly dropMimeTypes = [uriList];
  readonly dragMimeTypes = [];
  readonly #drop: (files: DroppedFiles) => Promise<void>;

  constructor(drop: (files: DroppedFiles) => Promise<void>) {
    this.#drop = drop;
  }

  async handleDrop(target: Row | undefined, transfer: vscode.DataTransfer): Promise<void> {
    const list = await transfer.get(uriList)?.asString();
    if (list === undefined || target?.kind !== 'tool') return;
    // The call is not awaited: it may take minutes, and the drop is already over.
    const { serverId, toolName } = target;
    void this.#drop({ serverId, toolName, uris: toUris(list) });
  }
}

/** Parses a `text/uri-list`: one URI on each line; lines that begin with `#` are comments. */
function toUris(list: string): readonly vscode.Uri[] {
  const lines = list.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => vscode.Uri.parse(line));
}
