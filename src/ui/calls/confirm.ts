import * as vscode from 'vscode';
import type { CallDecision, CallQuestion } from '../../host/call';
import type { CallReviews } from './confirmReview';
import { questionDetail, questionMessage } from './confirmText';

export type ModalAnswer = 'run' | 'review' | undefined;

/** Shows the modal dialog; `undefined` for Cancel and for closing it. */
export type ShowModal = (message: string, detail: string) => Promise<ModalAnswer>;

/**
 * Asks the person about one call at a time, in a dialog that says exactly what will be called with
 * what. Only the button `Run` means yes.
 */
export class ModalConfirm {
  readonly #reviews: Pick<CallReviews, 'review'>;
  readonly #showModal: ShowModal;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(reviews: Pick<CallReviews, 'review'>, showModal: ShowModal = showModalDialog) {
    this.#reviews = reviews;
    this.#showModal = showModal;
  }

  /** Waits for the questions before it. Cancelled before its turn it is not shown at all. */
  confirm(question: CallQuestion, token: vscode.CancellationToken): Promise<CallDecision> {
    const turn = this.#lastTurn.then(() => this.#ask(question, token));
    // A question that failed is answered for whoever asked it, and holds up no other.
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async #ask(question: CallQuestion, token: vscode.CancellationToken): Promise<CallDecision> {
    if (token.isCancellationRequested) return 'no';
    const answer = await this.#showModal(questionMessage(question), questionDetail(question));
    if (token.isCancellationRequested) return 'no';
    if (answer === 'review') return this.#reviews.review(question, token);
    return answer === 'run' ? 'run' : 'no';
  }
}

async function showModalDialog(message: string, detail: string): Promise<ModalAnswer> {
  const run = { title: vscode.l10n.t('Run') };
  const review = { title: vscode.l10n.t('Review in Editor') };
  const options = { modal: true, detail };
  const picked = await vscode.window.showWarningMessage(message, options, run, review);
  if (picked === run) return 'run';
  return picked === review ? 'review' : undefined;
}
