import * as vscode from 'vscode';
import type { ResourceLists } from '../../host/resources/resourceLists';
import type { LastTools } from '../../host/lastTools/lastTools';
import { views } from '../../ids';
import { Debouncer } from '../editor/debouncer';
import { type DroppedFiles, FileDrops } from './fileDrops';
import type { LastKnown } from './lastKnown';
import { OpenServers } from './openServers';
import { AutoExpand } from './autoExpand';
import { RowExpander } from './rowExpander';
import {
  type GroupingSource,
  type MarkSource,
  type RegistryView,
  ServerTree,
  type ShownSet,
  typedMs,
} from './serverTree';
import type { ServerTreeProcesses } from '../servers/treeProcesses';
import type { WalkthroughProgress } from './walkthroughProgress';
import { matchesToOpen } from './matchesToOpen';
import type { ToolFilterState } from './toolFilterState';
import { treeMessage } from './treeMessage';
import type { Row, ServerRow } from './treeRows';

export interface ServerTreeViewOptions {
  readonly registry: RegistryView;
  readonly filter: ToolFilterState;
  readonly pins: MarkSource;
  readonly dropFiles: (files: DroppedFiles) => Promise<void>;
  readonly processes: ServerTreeProcesses;
  readonly resources: ResourceLists;
  readonly grouping: GroupingSource;
  readonly milestones: Pick<WalkthroughProgress, 'lookedAtTool'>;
  readonly lastTools: LastTools;
  readonly toolSets: ShownSet;
  /** Of the workspace. */
  readonly memento: Pick<vscode.Memento, 'get' | 'update'>;
}

/** As many rows as also a low view shows. */
const rowsInSight = 10;

/** The view `Servers and Tools`: the tree, and above it the filter while there is one. */
export class ServerTreeView implements vscode.Disposable {
  readonly tree: ServerTree;
  readonly #view: vscode.TreeView<Row>;
  readonly #filter: ToolFilterState;
  readonly #toolSets: ShownSet;
  readonly #subscriptions: readonly vscode.Disposable[];
  /** Servers whose row could be opened when the view was last told. */
  readonly #openable = new Set<string>();
  readonly #burst: AutoExpand;
  /**
   * Servers whose rows are open, or open by themselves as soon as there is something below them
   * again: a row that was open when its server was disabled does. Only a person closes one.
   */
  readonly #open: OpenServers;
  readonly #opener: RowExpander;
  readonly #matches = new Debouncer(() => void this.#openMatching(), typedMs);

  constructor(options: ServerTreeViewOptions) {
    const { registry, filter, dropFiles, processes, resources } = options;
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
        if (element.kind === 'resources') resources.renew(element.serverId);
      }),
      this.#view.onDidCollapseElement(({ element }) => {
        if (element.kind !== 'server' || this.#opener.isOpening(element.serverId)) return;
        this.#open.delete(element.serverId);
      }),
      this.#view.onDidChangeVisibility(() => {
        this.#burst.look();
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
    // An empty message is none.
    this.#view.message = treeMessage(this.tree.model, this.#filter, this.#toolSets);
  }

  /** VS Code opens a row by its item only when it first draws it: a server that starts stays shut. */
  #openNew(rows: readonly Row[]): void {
    for (const row of rows.flatMap((each) =>
      each.kind === 'origin' ? this.tree.getChildren(each) : [each],
    )) {
      if (row.kind !== 'server') continue;
      const { model } = this.tree;
      const opening = model.opening(row);
      const wasOpenable = this.#openable.has(row.serverId);
      const isRunning = model.server(row)?.state.kind !== 'stopped';
      // What it listed last is no news; what it lists then is.
      const isNews = isRunning && !(opening === 'Collapsed' && model.isLastKnown(row.serverId));
      if (opening === 'None' || !isNews) this.#openable.delete(row.serverId);
      else this.#openable.add(row.serverId);
      if (opening === 'Expanded' && !wasOpenable) this.#burst.add(row);
    }
    this.#burst.look();
  }

  /**
   * From the bottom, so that no row has been moved out of sight when its turn comes: VS Code scrolls
   * to a row that it opens. Of several those stay shut that a view on its top does not show. Of those
   * that began together the topmost is in sight when all is done, also when a slow one came last.
   */
  async #openInSight(rows: readonly ServerRow[], together: ReadonlySet<string>): Promise<void> {
    const isInSight = (row: ServerRow): boolean => this.#placeOf(row) < rowsInSight;
    await this.#openFromBelow(rows.length > 1 ? rows.filter(isInSight) : rows);
    const [first] = this.#fromAbove([...together].map((id) => this.tree.model.serverRow(id)));
    if (first !== undefined) await this.#opener.show(first);
  }

  /** What the filter has found is in sight as far as it is not more than anybody reads. */
  async #openMatching(): Promise<void> {
    if (!this.#filter.isFiltering || !this.#view.visible) return;
    const { model } = this.tree;
    const servers = this.tree
      .getChildren()
      .flatMap((row) => (row.kind === 'origin' ? this.tree.getChildren(row) : [row]))
      .flatMap((row) => (row.kind === 'server' ? [row] : []));
    const found = matchesToOpen(servers, (row) => model.shownTools(row.serverId));
    // Opening one of those starts a program.
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
          // The row may be gone by now, and then there is nothing to open.
          await this.#opener.open(row).catch(() => this.#open.delete(row.serverId));
        }),
    );
  }

  #fromAbove(rows: readonly ServerRow[]): readonly ServerRow[] {
    const places = new Map(rows.map((row) => [row, this.#placeOf(row)]));
    const placeOf = (row: ServerRow): number => places.get(row) ?? 0;
    return rows.toSorted((one, other) => placeOf(one) - placeOf(other));
  }

  /** How many rows are above it, as far as they are open. */
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

  /** A server that comes back has a row of its own, which is shut. */
  #forgetGone(): void {
    for (const id of this.#open) {
      if (this.tree.model.server(this.tree.model.serverRow(id)) === undefined) {
        this.#open.delete(id);
      }
    }
  }
}

/** The tree, with what has to be measured for a row when somebody looks at it. */
function withLookedUp(
  tree: ServerTree,
  { processes, milestones, lastTools, registry }: ServerTreeViewOptions,
  open: OpenServers,
): vscode.TreeDataProvider<Row> {
  const drawn = new Set<string>();
  return {
    onDidChangeTreeData: tree.onDidChangeTreeData,
    getChildren: async (row) => {
      // Here first, because a row is opened by its item only when it is first drawn.
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
      if (row.kind === 'tool') milestones.lookedAtTool();
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
