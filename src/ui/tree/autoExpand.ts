import type { ServerRow } from './treeRows';

/** More rows of servers than these do not open by themselves: nobody sees all of them at once. */
export const maxOpenedTogether = 3;

/** How long what has started waits for the others that start with it, in milliseconds. */
const patienceMs = 3_000;
/** Some servers list their tools only after they have started. */
const quietMs = 1_000;

/** Servers as far as opening their rows goes; asked whenever one of them changed. */
export interface BurstView {
  readonly isVisible: () => boolean;
  /** Servers that are about to run. */
  readonly starting: () => readonly string[];
  /** Opens the rows, in this order. `together`: those that began at once with one of them. */
  readonly open: (rows: readonly ServerRow[], together: ReadonlySet<string>) => void;
}

/**
 * Decides which rows of servers open by themselves. Servers that start together are a burst, which
 * opens its rows together: when nothing of it starts any more, or when patience ends; those that are
 * slower open one by one. Opening a row moves what is below it, so a burst of more than three opens
 * none.
 */
export class AutoExpand {
  readonly #view: BurstView;
  readonly #patienceMs: number;
  readonly #quietMs: number;
  readonly #waiting = new Map<string, ServerRow>();
  /** Servers that have been part of this burst. */
  readonly #members = new Set<string>();
  /** Those of them that began in the same moment: by one press, as Start All Servers does. */
  readonly #together = new Set<string>();
  #hasOpened = false;
  #timer: NodeJS.Timeout | undefined;
  #ending: NodeJS.Timeout | undefined;

  constructor(view: BurstView, patience = patienceMs, quiet = quietMs) {
    this.#view = view;
    this.#patienceMs = patience;
    this.#quietMs = quiet;
  }

  /** A server has something to show that it did not have before. */
  add(row: ServerRow): void {
    this.#waiting.set(row.serverId, row);
  }

  /** To be told of every change of a server, and when the view is shown. */
  look(): void {
    const starting = this.#view.starting();
    const isNew = starting.filter((id) => !this.#members.has(id));
    if (isNew.length > 1) for (const id of isNew) this.#together.add(id);
    for (const id of [...starting, ...this.#waiting.keys()]) this.#members.add(id);
    // Opening a row would bring the view to the front.
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

  /** What waits for the view to be shown is still of this burst. */
  #end(): void {
    if (this.#waiting.size > 0) return;
    this.#members.clear();
    this.#together.clear();
    this.#hasOpened = false;
  }
}
