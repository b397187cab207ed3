import type * as vscode from 'vscode';
import type { ElicitationResult } from '../../core/input/elicitation';

/** Shows a question, and resolves when it is answered or closed. */
export type Ask = () => Promise<ElicitationResult>;

export const closedQuestion: ElicitationResult = { action: 'cancel' };

interface WaitingQuestion {
  readonly serverId: string;
  readonly show: () => Promise<void>;
}

/**
 * Maximum number of questions of one server that wait behind the one on screen, so that no server
 * fills the queue of the others.
 */
const maxOfServer = 10;
const maxOfAll = 200;

/** Shows the questions of all servers one at a time, in their order. */
export class QuestionQueue {
  readonly #waiting = new Set<WaitingQuestion>();
  #isShowing = false;

  isFullFor(server: string): boolean {
    const ofServer = [...this.#waiting].filter(({ serverId }) => serverId === server);
    return ofServer.length >= maxOfServer || this.#waiting.size >= maxOfAll;
  }

  /** A question that is cancelled while it waits leaves the queue at once, as closed. */
  async inTurn(
    serverId: string,
    ask: Ask,
    token: vscode.CancellationToken,
  ): Promise<ElicitationResult> {
    let withdrawal: vscode.Disposable | undefined;
    try {
      return await new Promise<ElicitationResult>((resolve, reject) => {
        const question = { serverId, show: () => ask().then(resolve, reject) };
        this.#waiting.add(question);
        withdrawal = token.onCancellationRequested(() => {
          if (this.#waiting.delete(question)) resolve(closedQuestion);
        });
        void this.#showAll();
      });
    } finally {
      withdrawal?.dispose();
    }
  }

  async #showAll(): Promise<void> {
    if (this.#isShowing) return;
    this.#isShowing = true;
    // The loop also reaches questions that are added meanwhile. A failed question rejects for its
    // own caller, and does not block the others.
    for (const question of this.#waiting) {
      this.#waiting.delete(question);
      await question.show();
    }
    this.#isShowing = false;
  }
}
