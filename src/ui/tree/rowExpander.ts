import { setTimeout as delay } from 'node:timers/promises';
import type { TreeView } from 'vscode';
import type { Row, ServerRow } from './treeRows';

const maxTries = 3;
/** VS Code gathers changes of a tree for 200 ms before it draws them. */
const redrawMs = 400;

/**
 * Opens rows of servers. VS Code drops that without a word when it draws the tree anew just then,
 * which it does while servers start; so what it does not say to have opened is opened again.
 */
export class RowExpander {
  readonly #view: Pick<TreeView<Row>, 'reveal' | 'visible'>;
  readonly #pauseMs: number;
  /** Servers whose rows were not seen open yet. */
  readonly #waiting = new Set<string>();

  constructor(view: Pick<TreeView<Row>, 'reveal' | 'visible'>, pauseMs = redrawMs) {
    this.#view = view;
    this.#pauseMs = pauseMs;
  }

  /** Rejects if there is no such row any more. */
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

  /** Scrolls to the row. Nothing happens if there is none any more, or nobody sees the view. */
  async show(row: ServerRow): Promise<void> {
    if (!this.#view.visible) return;
    try {
      await this.#view.reveal(row, { select: false, focus: false });
    } catch {
      // It is gone, and nobody looks for it.
    }
  }

  /** VS Code says that it opened the row. */
  opened(serverId: string): void {
    this.#waiting.delete(serverId);
  }

  /** Until it does, it may say that the row was closed: that is how it draws one that gets children. */
  isOpening(serverId: string): boolean {
    return this.#waiting.has(serverId);
  }

  dispose(): void {
    this.#waiting.clear();
  }

  /** A row that is revealed brings its view to the front. */
  #isWanted(serverId: string): boolean {
    return this.#waiting.has(serverId) && this.#view.visible;
  }
}
