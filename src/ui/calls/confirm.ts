import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import type { JsonObject } from '../../core/json/jsonValue';
import type { CallAnswer, CallQuestion } from '../../host/calls/call';
import type { GrantWish } from '../../host/consent/grants/grant';
import { dialogText } from '../format/dialogText';
import { pickWish } from './rememberPicker';
import type { CallReviews, ReviewPress } from './confirmReview';
import { questionDetail, questionMessage } from './confirmText';

/** What can be pressed, in the dialog or on the review; closing either is `undefined`. */
export type Press = ReviewPress | 'review';

/** Shows the modal dialog with these buttons; the first is the one that Enter presses. */
export type ShowModal = (
  message: string,
  detail: string,
  buttons: readonly Press[],
) => Promise<Press | undefined>;

/** Other arguments for this call, valid ones; `undefined` when the person goes back. */
export type EditArguments = (
  question: CallQuestion,
  token: vscode.CancellationToken,
) => Promise<JsonObject | undefined>;

export interface ModalConfirmOptions {
  readonly reviews: Pick<CallReviews, 'review'>;
  /** What to remember and how long; `undefined` when the person goes back to the question. */
  readonly askForWish?: (question: CallQuestion) => Promise<GrantWish | undefined>;
  readonly editArguments: EditArguments;
  readonly showModal?: ShowModal;
}

/**
 * Asks the person about one call at a time, in a dialog that says exactly what will be called with
 * what. Only the buttons that say Run mean yes.
 */
export class ModalConfirm {
  readonly #options: ModalConfirmOptions;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(options: ModalConfirmOptions) {
    this.#options = options;
  }

  /** Waits for the questions before it. Cancelled before its turn it is not shown at all. */
  confirm(question: CallQuestion, token: vscode.CancellationToken): Promise<CallAnswer> {
    const turn = this.#lastTurn.then(() => this.#ask(question, token));
    // A question that failed is answered for whoever asked it, and holds up no other.
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /** Asks again when the person comes back from what the dialog led to. */
  async #ask(question: CallQuestion, token: vscode.CancellationToken): Promise<CallAnswer> {
    for (;;) {
      const answer = await this.#askOnce(question, token);
      if (token.isCancellationRequested) return { kind: 'no' };
      if (answer !== undefined) return answer;
    }
  }

  async #askOnce(
    question: CallQuestion,
    token: vscode.CancellationToken,
  ): Promise<CallAnswer | undefined> {
    const { reviews, editArguments } = this.#options;
    const { askForWish = pickOffered, showModal = showModalDialog } = this.#options;
    if (token.isCancellationRequested) return undefined;
    const [message, detail] = [questionMessage(question), questionDetail(question)];
    let pressed = await showModal(message, detail, buttonsFor(question));
    if (token.isCancellationRequested) return undefined;
    if (pressed === 'review') pressed = await reviews.review(question, token);
    switch (pressed) {
      case 'run':
        return { kind: 'run' };
      case 'remember': {
        const remember = await askForWish(question);
        return remember === undefined ? undefined : { kind: 'run', remember };
      }
      case 'edit': {
        const edited = await editArguments(question, token);
        return edited === undefined ? undefined : { kind: 'edited', arguments: edited };
      }
      case undefined:
        return { kind: 'no' };
      default:
        return assertNever(pressed);
    }
  }
}

/**
 * Enter presses the first button, and a person who just entered the last argument may press it
 * twice: what may destroy something is not what that does.
 */
function buttonsFor({ entry, offered }: CallQuestion): readonly Press[] {
  const runs: Press[] = offered.length > 0 ? ['run', 'remember'] : ['run'];
  return entry.risk.level === 'destructive' ? ['review', ...runs] : [...runs, 'review'];
}

function pickOffered(question: CallQuestion): Promise<GrantWish | undefined> {
  return pickWish(question.offered, question);
}

async function showModalDialog(
  message: string,
  detail: string,
  buttons: readonly Press[],
): Promise<Press | undefined> {
  const items = buttons.map((press) => ({ title: formatPress(press), press }));
  const options = { modal: true, detail: dialogText(detail) };
  const picked = await vscode.window.showWarningMessage(message, options, ...items);
  return picked?.press;
}

function formatPress(press: Press): string {
  return {
    run: vscode.l10n.t('Run'),
    remember: vscode.l10n.t('Run and Remember…'),
    review: vscode.l10n.t('Review in Editor'),
    edit: vscode.l10n.t('Edit Arguments'),
  }[press];
}
