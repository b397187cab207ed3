import type * as vscode from 'vscode';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { CallAnswer, CallQuestion } from '../../host/calls/call';

/** A question that waits for its turn, or for the user's answer. */
export class PendingQuestion {
  readonly #source = new CancellationTokenSource();
  readonly #answered: Promise<CallAnswer>;
  readonly #subscription: vscode.Disposable;
  #question: CallQuestion | undefined;
  #settle: (answer: CallAnswer) => void = () => undefined;

  /** The answer is no as soon as `token` is cancelled, and the question is released. */
  constructor(question: CallQuestion, token: vscode.CancellationToken) {
    this.#question = question;
    this.#answered = new Promise((resolve) => (this.#settle = resolve));
    this.#subscription = token.onCancellationRequested(() => this.answer({ kind: 'no' }));
  }

  /** Absent once it is answered. */
  get question(): CallQuestion | undefined {
    return this.#question;
  }

  /** Cancelled once it is answered, so that other dialogs for it close. */
  get token(): vscode.CancellationToken {
    return this.#source.token;
  }

  /** Only the first answer counts. Returns true if this is the first. */
  answer(answer: CallAnswer): boolean {
    if (this.#question === undefined) return false;
    this.#question = undefined;
    this.#settle(answer);
    this.#source.cancel();
    return true;
  }

  /** Resolves to the result of `turn`, unless the question was answered before. */
  async byTurn(turn: Promise<CallAnswer>): Promise<CallAnswer> {
    try {
      return await Promise.race([this.#answered, turn]);
    } finally {
      this.#question = undefined;
      this.#subscription.dispose();
    }
  }
}
