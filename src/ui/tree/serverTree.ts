import type { ServerTreeProcesses } from '../servers/treeProcesses';
import * as vscode from 'vscode';
import type { ProcessUsage } from '../../core/stdio/processFacts';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolSets } from '../../host/agents/toolSets';
import type { LastTools } from '../../host/lastTools/lastTools';
import type { Pins } from '../../host/consent/pins/pins';
import type { ResourceLists } from '../../host/resources/resourceLists';
import type { Settings } from '../settings/settingsCheck';
import { Debouncer } from '../editor/debouncer';
import { markOwnArgument, rowId } from '../editor/ownArguments';
import { ResourceRows } from './resourceRows';
import type { LastKnown } from './lastKnown';
import { kindOf } from './rowKinds';
import type { ToolFilterState } from './toolFilterState';
import { TreeModel } from './treeModel';
import type { Row } from './treeRows';

/** Letters of the filter come as fast as this; the rest of the rows when the word is there. */
export const typedMs = 250;
/**
 * More than a high view shows. VS Code asks for each row below an open one after each letter: a
 * thousand of them were drawn after 250 ms, these after 90.
 */
const rowsWhileTyping = 100;

/** The part of the registry that is only looked at. */
export type RegistryView = Pick<ServerRegistry, 'servers' | 'problems' | 'find' | 'onDidChange'>;

/** What is marked in the tree, and when that changes. */
export type MarkSource = Pick<Pins, 'marks' | 'onDidChange'>;

/** Which tools the person wants to see in this workspace. */
export type ShownSet = Pick<ToolSets, 'holds' | 'chosen' | 'sets' | 'onDidChange'>;

/** Whether servers stand below where they are configured. */
export interface GroupingSource {
  readonly current: Pick<Settings, 'groupsByOrigin'>;
  readonly onDidChange: vscode.Event<Pick<Settings, 'groupsByOrigin'>>;
}

export interface ServerTreeOptions {
  readonly registry: RegistryView;
  readonly filter: ToolFilterState;
  readonly pins: MarkSource;
  readonly processes: Pick<ServerTreeProcesses, 'startsWhenOpened'>;
  readonly resources: Pick<ResourceLists, 'of' | 'has' | 'want' | 'onDidChange'>;
  readonly grouping: GroupingSource;
  readonly lastKnown: LastKnown & Pick<LastTools, 'onDidChange'>;
  readonly toolSets: ShownSet;
}

/**
 * Servers and their tools as VS Code's tree wants them. Answers from snapshots at once; changes of
 * one turn are told together, and only for the rows that changed.
 */
export class ServerTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly model: TreeModel;
  readonly #subscriptions: readonly { dispose(): void }[];
  /** Ids of servers whose row changed; `all` when rows came or went at the root. */
  #changed: Set<string> | 'all' = new Set();
  #announcement: NodeJS.Immediate | undefined;
  readonly #whole: Debouncer;

  readonly #onDidChangeTreeData = new vscode.EventEmitter<Row[] | undefined>();
  readonly onDidChangeTreeData = this.#onDidChangeTreeData.event;

  constructor(options: ServerTreeOptions) {
    const { registry, filter, pins, processes, resources, grouping, lastKnown, toolSets } = options;
    this.model = new TreeModel({
      registry,
      marksOf: (serverId) => pins.marks(serverId),
      startsWhenOpened: processes.startsWhenOpened,
      resources: new ResourceRows(resources),
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
      pins.onDidChange((id) => this.#change(id)),
      resources.onDidChange((id) => this.#change(id)),
      lastKnown.onDidChange((id) => this.#change(id)),
      grouping.onDidChange((now) => this.#group(now)),
    ];
  }

  /** All rows are drawn anew: something changed that no server tells. */
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
    const item = kindOf(shown).item(shown, this.model);
    item.id = rowId(shown.key);
    return item;
  }

  /** VS Code asks for tooltip and command of a row when it is hovered or opened. */
  resolveTreeItem(item: vscode.TreeItem, row: Row): vscode.TreeItem {
    return this.resolve(item, row);
  }

  /** The same, with what the process of a server uses now. */
  resolve(item: vscode.TreeItem, row: Row, usage?: ProcessUsage): vscode.TreeItem {
    const kind = kindOf(row);
    const tooltip = kind.tooltip?.(row, this.model, usage);
    if (tooltip !== undefined) item.tooltip = tooltip;
    const command = kind.command?.(row, this.model);
    if (command !== undefined) item.command = command;
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
    // A copy: what stands below servers is made anew, also when another set is chosen.
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

  #announce(): void {
    const changed = this.#changed;
    this.#changed = new Set();
    this.#announcement = undefined;
    const rows = changed === 'all' ? undefined : [...changed].map((id) => this.model.serverRow(id));
    this.#onDidChangeTreeData.fire(rows);
  }
}
