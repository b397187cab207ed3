import type { ServerRow, Row } from './treeRows';
import { setTimeout as delay } from 'node:timers/promises';
import type { TreeView, TreeItemCollapsibleState } from 'vscode';
import type { Server } from '../../host/connections/snapshot';
import type { Memento } from '../../host/storage/memento';

/**
 * If more servers than this start together, their rows stay closed: they would not fit on one
 * screen.
 */
const maxOpenedTogether = 3;

/** How long a server that has started waits for the others of its burst, in milliseconds. */
const patienceMs = 3_000;
/** How long a burst stays open after its last start, because some servers list their tools late. */
const quietMs = 1_000;

/** The facts about servers that decide which rows are opened. Read again after each change. */
interface AutoExpandView {
  readonly isVisible: () => boolean;
  /** Ids of servers that are starting. */
  readonly starting: () => readonly string[];
  /**
   * Opens the rows in this order. `together` has the servers that started at the same moment as one
   * of them.
   */
  readonly open: (rows: readonly ServerRow[], together: ReadonlySet<string>) => void;
}

/**
 * Decides which server rows open automatically. Servers that start together form a burst. The rows
 * of a burst open together, when none of its servers is still starting or when the waiting time is
 * over; slower servers open one by one. Opening a row moves the rows below it, so a burst of more
 * than three servers opens none.
 */
export class AutoExpand {
  readonly #view: AutoExpandView;
  readonly #patienceMs: number;
  readonly #quietMs: number;
  readonly #waiting = new Map<string, ServerRow>();
  /** Servers that have been part of this burst. */
  readonly #members = new Set<string>();
  /** The members that started at the same moment, for example by Start All Servers. */
  readonly #together = new Set<string>();
  #hasOpened = false;
  #timer: NodeJS.Timeout | undefined;
  #ending: NodeJS.Timeout | undefined;

  constructor(view: AutoExpandView, patience = patienceMs, quiet = quietMs) {
    this.#view = view;
    this.#patienceMs = patience;
    this.#quietMs = quiet;
  }

  /** Adds a server row that has something to show for the first time. */
  add(row: ServerRow): void {
    this.#waiting.set(row.serverId, row);
  }

  /** Call it after every change of a server, and when the view becomes visible. */
  look(): void {
    const starting = this.#view.starting();
    const isNew = starting.filter((id) => !this.#members.has(id));
    if (isNew.length > 1) for (const id of isNew) this.#together.add(id);
    for (const id of [...starting, ...this.#waiting.keys()]) this.#members.add(id);
    // Opening a row would bring a hidden view to the front.
    if (this.#waiting.size > 0 && this.#view.isVisible()) {
      if (starting.length === 0 || this.#hasOpened) this.#open();
      else this.#timer ??= setTimeout(() => this.#open(), this.#patienceMs);
    }
    clearTimeout(this.#ending);
    if (starting.length === 0) this.#ending = setTimeout(() => this.#end(), this.#quietMs);
  }

  dispose(): void {
    this.#end();
    clearTimeout(this.#timer);
    clearTimeout(this.#ending);
    this.#waiting.clear();
  }

  #open(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#view.isVisible()) return;
    const rows = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#hasOpened = true;
    if (this.#members.size > maxOpenedTogether) return;
    const isTogether = rows.some(({ serverId }) => this.#together.has(serverId));
    this.#view.open(rows, isTogether ? this.#together : new Set());
  }

  /** Rows that wait for the view to become visible keep the burst alive. */
  #end(): void {
    if (this.#waiting.size > 0) return;
    this.#members.clear();
    this.#together.clear();
    this.#hasOpened = false;
  }
}

/** Maximum number of matching rows to open. The first server with a match opens in any case. */
const maxFound = 100;
const maxMatchingServers = 20;

/** Returns the servers that a filter opens: the topmost ones with a match, within the limits. */
export function matchesToOpen(
  servers: readonly ServerRow[],
  shownTools: (row: ServerRow) => number,
): readonly ServerRow[] {
  let found = 0;
  return servers
    .filter((row) => shownTools(row) > 0)
    .slice(0, maxMatchingServers)
    .filter((row, index) => {
      found += shownTools(row);
      return index === 0 || found <= maxFound;
    });
}

const maxTries = 3;
/** VS Code collects changes of a tree for 200 ms before it redraws it. */
const redrawMs = 400;

/**
 * Opens server rows. VS Code drops a request to open a row if it redraws the tree at that moment,
 * which happens while servers start. So a row is opened again until VS Code reports that it is
 * open.
 */
export class RowExpander {
  readonly #view: Pick<TreeView<Row>, 'reveal' | 'visible'>;
  readonly #pauseMs: number;
  /** Servers whose rows VS Code has not reported as open yet. */
  readonly #waiting = new Set<string>();

  constructor(view: Pick<TreeView<Row>, 'reveal' | 'visible'>, pauseMs = redrawMs) {
    this.#view = view;
    this.#pauseMs = pauseMs;
  }

  /** @throws if the row no longer exists. */
  async open(row: ServerRow): Promise<void> {
    const { serverId } = row;
    this.#waiting.add(serverId);
    try {
      for (let tries = 0; tries < maxTries && this.#isWanted(serverId); tries += 1) {
        await this.#view.reveal(row, { expand: true, select: false, focus: false });
        await delay(this.#pauseMs);
      }
    } finally {
      this.#waiting.delete(serverId);
    }
  }

  /** Scrolls to the row. Does nothing if the row no longer exists or the view is hidden. */
  async show(row: ServerRow): Promise<void> {
    if (!this.#view.visible) return;
    try {
      await this.#view.reveal(row, { select: false, focus: false });
    } catch {
      // The row no longer exists, so it needs no scrolling.
    }
  }

  /** Call it when VS Code reports that the row is open. */
  opened(serverId: string): void {
    this.#waiting.delete(serverId);
  }

  /**
   * True until VS Code has reported the row as open. Until then it may also report the row as
   * closed, because that is how it draws a row that gets children.
   */
  isOpening(serverId: string): boolean {
    return this.#waiting.has(serverId);
  }

  dispose(): void {
    this.#waiting.clear();
  }

  /** Revealing a row would bring a hidden view to the front. */
  #isWanted(serverId: string): boolean {
    return this.#waiting.has(serverId) && this.#view.visible;
  }
}

const storageKey = 'openServers';
/** Maximum number of servers that are remembered. The oldest ones are forgotten first. */
const maxServers = 200;

/** Remembers which server rows are open, and which were open when the window was closed. */
export class OpenServers {
  readonly #storage: Memento;
  readonly #open = new Set<string>();
  /** Rows from the previous session that the user has not opened or closed since. */
  readonly #before: Set<string>;

  constructor(storage: Memento) {
    this.#storage = storage;
    const stored = storage.get(storageKey);
    const ids: unknown[] = Array.isArray(stored) ? stored.slice(0, maxServers) : [];
    this.#before = new Set(ids.filter((id) => typeof id === 'string'));
  }

  has(serverId: string): boolean {
    return this.#open.has(serverId);
  }

  /** True also for a row of the previous session that has not been drawn yet. */
  wasOpen(serverId: string): boolean {
    return this.#open.has(serverId) || this.#before.has(serverId);
  }

  add(serverId: string): void {
    if (this.#open.has(serverId)) return;
    this.#open.add(serverId);
    this.#keep();
  }

  delete(serverId: string): void {
    if (![this.#open.delete(serverId), this.#before.delete(serverId)].includes(true)) return;
    this.#keep();
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#open.values();
  }

  #keep(): void {
    const ids = [...new Set([...this.#before, ...this.#open])].slice(-maxServers);
    this.#storage.update(storageKey, ids).then(undefined, () => {
      // A failed write is ignored: only the state of some rows is lost.
    });
  }
}

/** A server with more tools than this stays closed until the user opens it. */
const maxExpandedTools = 100;

/** State of a row as named by VS Code: without children, collapsed or expanded. */
export type RowState = keyof typeof TreeItemCollapsibleState;

/** Problems and short lists of tools are open initially, so that the user sees them. */
export function initialRowState(
  children: readonly Row[],
  shownTools: number,
  isLastKnown = false,
): RowState {
  if (children.length === 0) return 'None';
  // Opening it starts a program, so only the user opens it.
  if (children.some(({ kind }) => kind === 'toStart')) return 'Collapsed';
  if (isLastKnown) return 'Collapsed';
  return shownTools > maxExpandedTools ? 'Collapsed' : 'Expanded';
}

/**
 * VS Code opens a row by its item when it draws it for the first time. If there are many, none is
 * opened.
 */
export function firstOpening(opening: RowState, servers: readonly Server[]): RowState {
  return opening === 'Expanded' && isCrowded(servers) ? 'Collapsed' : opening;
}

/** True if more servers have something to show than rows open automatically. */
function isCrowded(servers: readonly Server[]): boolean {
  let count = 0;
  return servers.some(({ state }) => {
    if (state.kind !== 'stopped') count += 1;
    return count > maxOpenedTogether;
  });
}
