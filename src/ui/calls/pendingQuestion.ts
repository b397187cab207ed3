import type * as vscode from 'vscode';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { CallAnswer, CallQuestion } from '../../host/calls/call';

/** A question that waits for its turn, or for what the person presses. */
export class PendingQuestion {
  readonly #source = new CancellationTokenSource();
  readonly #answered: Promise<CallAnswer>;
  readonly #subscription: vscode.Disposable;
  #question: CallQuestion | undefined;
  #settle: (answer: CallAnswer) => void = () => undefined;

  /** Answered with no as soon as `token` is cancelled, and then nothing of it is kept. */
  constructor(question: CallQuestion, token: vscode.CancellationToken) {
    this.#question = question;
    this.#answered = new Promise((resolve) => (this.#settle = resolve));
    this.#subscription = token.onCancellationRequested(() => this.answer({ kind: 'no' }));
  }

  /** Absent once it has an answer. */
  get question(): CallQuestion | undefined {
    return this.#question;
  }

  /** Cancelled once it has an answer: whatever else asks for one closes. */
  get token(): vscode.CancellationToken {
    return this.#source.token;
  }

  /** The first one counts. Whether it was. */
  answer(answer: CallAnswer): boolean {
    if (this.#question === undefined) return false;
    this.#question = undefined;
    this.#settle(answer);
    this.#source.cancel();
    return true;
  }

  /** With what `turn` brings, unless it was answered before. */
  async byTurn(turn: Promise<CallAnswer>): Promise<CallAnswer> {
    try {
      return await Promise.race([this.#answered, turn]);
    } finally {
      this.#question = undefined;
      this.#subscription.dispose();
    }
  }
}
