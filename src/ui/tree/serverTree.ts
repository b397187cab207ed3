import type { ServerTreeProcesses } from '../servers/serverProcesses';
import * as vscode from 'vscode';
import type { ProcessUsage } from '../../core/stdio/processFacts';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolSets } from '../../host/agents/toolSets';
import type { LastTools } from '../../host/lastTools/lastTools';
import type { Pins } from '../../host/consent/pins/pins';
import type { Settings } from '../settings/settingsCheck';
import { Debouncer } from '../editor/debouncer';
import { markOwnArgument, rowId } from '../editor/ownArguments';
import { branchNames, ListedRows, type ListsView } from './listedRows';
import type { LastKnown } from './branches';
import { rowKindOf } from './rowKinds';
import type { ToolFilterState } from './toolFilterState';
import { TreeModel } from './treeModel';
import type { BranchName, BranchRow, Row, ServerRow } from './treeRows';

/**
 * While the user types a filter, only the first rows are drawn; the rest follows after this pause.
 */
export const typedMs = 250;
/**
 * More rows than a tall view shows. After each letter VS Code asks for every row below an open one:
 * 1,000 rows were drawn after 250 ms, 100 rows after 90 ms.
 */
const rowsWhileTyping = 100;

/** The part of the registry that the tree reads. */
export type RegistryView = Pick<ServerRegistry, 'servers' | 'problems' | 'find' | 'onDidChange'>;

/** The change marks of tools, and an event for their changes. */
export type ToolMarkSource = Pick<Pins, 'marks' | 'onDidChange'>;

/** The tools that the user wants to see in this workspace. */
export type ShownToolSet = Pick<ToolSets, 'holds' | 'chosen' | 'sets' | 'onDidChange'>;

/** Tells if servers are grouped by the place where they are configured. */
export interface GroupingSource {
  readonly current: Pick<Settings, 'groupsByOrigin'>;
  readonly onDidChange: vscode.Event<Pick<Settings, 'groupsByOrigin'>>;
}

export interface ServerTreeOptions {
  readonly registry: RegistryView;
  readonly filter: ToolFilterState;
  readonly pins: ToolMarkSource;
  readonly skillPins?: ToolMarkSource;
  readonly processes: Pick<ServerTreeProcesses, 'startsWhenOpened'>;
  readonly lists: Readonly<Record<BranchName, ListsView>>;
  readonly grouping: GroupingSource;
  readonly lastKnown: LastKnown & Pick<LastTools, 'onDidChange'>;
  readonly toolSets: ShownToolSet;
}

/**
 * The tree data provider of servers and tools. It answers from snapshots without waiting. Changes
 * of one event loop turn are reported together, and only for the rows that changed.
 */
export class ServerTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly model: TreeModel;
  readonly #subscriptions: readonly { dispose(): void }[];
  /** Ids of servers whose row changed, or `all` if root rows were added or removed. */
  #changed: Set<string> | 'all' = new Set();
  #changedLists: Pick<BranchRow, 'serverId' | 'branch'>[] = [];
  /** The rows below each server at its last refresh. */
  #shown = new WeakMap<ServerRow, readonly Row[]>();
  #announcement: NodeJS.Immediate | undefined;
  readonly #whole: Debouncer;

  readonly #onDidChangeTreeData = new vscode.EventEmitter<Row[] | undefined>();
  readonly onDidChangeTreeData = this.#onDidChangeTreeData.event;

  constructor(options: ServerTreeOptions) {
    const { registry, filter, pins, skillPins, processes, lists, grouping, lastKnown, toolSets } =
      options;
    this.model = new TreeModel({
      registry,
      marksOf: (serverId) => pins.marks(serverId),
      startsWhenOpened: processes.startsWhenOpened,
      listed: new ListedRows(lists, skillPins && ((id) => skillPins.marks(id))),
      lastKnown,
      isInSet: ({ serverId, tool }) => toolSets.holds(serverId, tool.name),
    });
    this.model.filter = filter.current;
    this.model.origins.isGrouping = grouping.current.groupsByOrigin;
    this.#whole = new Debouncer(() => this.#showAll(registry), typedMs);
    this.#subscriptions = [
      registry.onDidChange((change) => {
        this.#change(change.kind === 'servers' ? 'all' : change.id);
      }),
      this.#whole,
      filter.onDidChange(() => this.#showTyped(registry, filter)),
      toolSets.onDidChange(() => this.#choose(registry, filter)),
      ...[pins, ...(skillPins ? [skillPins] : [])].map((one) =>
        one.onDidChange((id) => this.#change(id)),
      ),
      ...branchNames.map((branch) =>
        lists[branch].onDidChange((serverId) => this.#changeList({ serverId, branch })),
      ),
      lastKnown.onDidChange((id) => this.#change(id)),
      grouping.onDidChange((now) => this.#group(now)),
    ];
  }

  /** Redraws all rows after a change that no event reports. */
  refresh(): void {
    this.#change('all');
  }

  getChildren(row?: Row): Row[] {
    return row === undefined ? this.model.roots() : [...this.model.children(row)];
  }

  getParent(row: Row): Row | undefined {
    return this.model.parent(row);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const shown = markOwnArgument(row);
    const kind = rowKindOf(shown);
    const item = kind.item(shown, this.model);
    item.id = rowId(shown.key);
    // A command that resolveTreeItem() adds is lost if the row is pressed during a refresh, because
    // VS Code has forgotten the row then.
    const command = kind.command?.(shown, this.model);
    if (command !== undefined) item.command = command;
    return item;
  }

  /** VS Code calls it for the tooltip when a row is hovered. */
  resolveTreeItem(item: vscode.TreeItem, row: Row): vscode.TreeItem {
    return this.resolve(item, row);
  }

  /** Like resolveTreeItem(), with the resource usage of the server's process. */
  resolve(item: vscode.TreeItem, row: Row, usage?: ProcessUsage): vscode.TreeItem {
    const tooltip = rowKindOf(row).tooltip?.(row, this.model, usage);
    if (tooltip !== undefined) item.tooltip = tooltip;
    return item;
  }

  dispose(): void {
    clearImmediate(this.#announcement);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#onDidChangeTreeData.dispose();
  }

  #group({ groupsByOrigin }: GroupingSource['current']): void {
    this.model.origins.isGrouping = groupsByOrigin;
    this.#change('all');
  }

  #choose({ servers }: RegistryView, filter: ToolFilterState): void {
    // The filter is copied, because a new object rebuilds the rows also when another tool set is
    // selected.
    this.model.filter = { ...filter.current };
    for (const { config } of servers) this.#change(config.id);
  }

  #showTyped(registry: RegistryView, filter: ToolFilterState): void {
    this.model.rowsAtOnce = rowsWhileTyping;
    this.#choose(registry, filter);
    this.#whole.start();
  }

  #showAll({ servers }: RegistryView): void {
    this.model.rowsAtOnce = Infinity;
    for (const { config } of servers) {
      if (this.model.shownTools(config.id) > rowsWhileTyping) this.#change(config.id);
    }
  }

  #change(what: string): void {
    if (what === 'all') this.#changed = 'all';
    else if (this.#changed !== 'all') this.#changed.add(what);
    this.#announcement ??= setImmediate(() => this.#announce());
  }

  #changeList(list: Pick<BranchRow, 'serverId' | 'branch'>): void {
    this.#changedLists.push(list);
    this.#announcement ??= setImmediate(() => this.#announce());
  }

  #announce(): void {
    const changed = this.#changed;
    const lists = this.#changedLists;
    this.#changed = new Set();
    this.#changedLists = [];
    this.#announcement = undefined;
    if (changed === 'all') this.#shown = new WeakMap();
    this.#onDidChangeTreeData.fire(changed === 'all' ? undefined : this.#rowsOf(changed, lists));
  }

  /**
   * Returns the rows to refresh. A change of a list refreshes only its branch if the server still
   * has the same rows: VS Code forgets all rows below a refreshed one until the page requests them
   * again, and a button that is pressed meanwhile has no row.
   */
  #rowsOf(changed: Set<string>, lists: readonly Pick<BranchRow, 'serverId' | 'branch'>[]): Row[] {
    const branches = new Set<BranchRow>();
    for (const { serverId, branch } of lists) {
      const server = this.model.serverRow(serverId);
      const children = this.model.children(server);
      const row = children.find((each) => each.kind === 'branch' && each.branch === branch);
      if (row?.kind === 'branch' && hasSameKeys(children, this.#shown.get(server)))
        branches.add(row);
      else changed.add(serverId);
    }
    const servers = [...changed].map((id) => this.model.serverRow(id));
    for (const server of servers) this.#shown.set(server, this.model.children(server));
    return [...servers, ...[...branches].filter(({ serverId }) => !changed.has(serverId))];
  }
}

function hasSameKeys(rows: readonly Row[], others: readonly Row[] = []): boolean {
  return (
    rows.length === others.length && rows.every(({ key }, place) => key === others[place]?.key)
  );
}
