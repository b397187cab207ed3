import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import type { JsonObject } from '../../core/json/jsonValue';
import type { CallAnswer, CallQuestion } from '../../host/calls/call';
import type { GrantWish } from '../../host/consent/grants/grant';
import type { CallReviews, ReviewPress } from './confirmReview';
import { questionText } from './confirmText';
import { HeldQuestion } from './heldQuestion';

/** What can be pressed, in the dialog or on the review; closing either is `undefined`. */
export type Press = ReviewPress | 'review' | 'together';

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

export interface AllowAlways {
  /** Whether there is a rule that fits. */
  readonly offers: (question: CallQuestion) => Promise<boolean>;
  readonly choose: (question: CallQuestion) => Promise<boolean>;
}

/** What is pressed sooner was meant for something else: nobody has read the question yet. */
const readingMs = 500;

export interface CallLists {
  /** The numbers of those that may run; `undefined` when the list was closed. */
  readonly askTogether: (
    questions: readonly CallQuestion[],
  ) => Promise<ReadonlySet<number> | undefined>;
}

export interface ModalConfirmOptions {
  readonly reviews: Pick<CallReviews, 'review'>;
  /** What to remember and how long; `undefined` when the person goes back to the question. */
  readonly askForWish: (question: CallQuestion) => Promise<GrantWish | undefined>;
  /** Saves a rule that the person chooses for such calls; `false` when they go back instead. */
  readonly allowAlways?: AllowAlways;
  /** Asks about several calls at once. Absent: nothing does. */
  readonly lists?: CallLists;
  readonly showModal: ShowModal;
  /** Shows a sentence that asks nothing. */
  readonly tell: (sentence: string) => void;
  /** Milliseconds of a clock that nobody sets. */
  readonly now: () => number;
}

/**
 * Asks the person about one call at a time, in a dialog that says exactly what will be called with
 * what. Only the buttons that say Run mean yes.
 */
export class ModalConfirm {
  readonly #options: ModalConfirmOptions;
  readonly #held = new Set<HeldQuestion>();
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** While a list of calls is open, no dialog covers it. */
  #list: Promise<unknown> | undefined;
  #editArguments: EditArguments = () => Promise.resolve(undefined);

  constructor(options: ModalConfirmOptions) {
    this.#options = options;
  }

  /** From here on the arguments of a call can be changed while it is asked about. */
  editArgumentsBy(editArguments: EditArguments): void {
    this.#editArguments = editArguments;
  }

  /**
   * Waits for the questions before it. Cancelled it is answered with no at once; before its turn it
   * is not shown at all, and nothing of it is kept until then.
   */
  confirm(question: CallQuestion, token: vscode.CancellationToken): Promise<CallAnswer> {
    if (token.isCancellationRequested) return Promise.resolve({ kind: 'no' });
    const held = new HeldQuestion(question, token);
    this.#held.add(held);
    const turn = this.#lastTurn.then(() => this.#askHeld(held));
    // A question that failed is answered for whoever asked it, and holds up no other.
    this.#lastTurn = turn.catch(() => undefined);
    return held.byTurn(turn).finally(() => this.#held.delete(held));
  }

  /**
   * Lists the calls of agents that wait, all in one document; what is agreed to there runs, and the
   * rest is asked about in its turn. Resolves when the list is closed, also one that was open
   * before; `false` where none waits.
   */
  async answerAgents(): Promise<boolean> {
    if (this.#list !== undefined) {
      await this.#list;
      return true;
    }
    const waiting = this.#ofAgents;
    if (waiting.length === 0) return false;
    const list = this.#answerListed(waiting);
    this.#list = list.catch(() => undefined);
    try {
      await list;
    } finally {
      this.#list = undefined;
    }
    return true;
  }

  get #ofAgents(): readonly HeldQuestion[] {
    return [...this.#held].filter(({ question }) => question?.origin === 'agent');
  }

  async #answerListed(waiting: readonly HeldQuestion[]): Promise<void> {
    const questions = waiting.flatMap(({ question }) => question ?? []);
    const agreed = await this.#options.lists?.askTogether(questions);
    if (agreed === undefined) return;
    const given = waiting.filter(
      (held, index) => agreed.has(index) && held.answer({ kind: 'run' }),
    );
    const late = agreed.size - given.length;
    if (late === 0) return;
    const sentence =
      late === 1
        ? l10n.t('1 call was not made: its agent does not wait any more.')
        : l10n.t('{0} calls were not made: their agents do not wait any more.', late);
    this.#options.tell(sentence);
  }

  async #askHeld(held: HeldQuestion): Promise<CallAnswer> {
    // It may be in the list; the person's own calls are not, and would wait unseen.
    if (held.question?.origin === 'agent') await this.#listClosed();
    const { question, token } = held;
    return question === undefined ? { kind: 'no' } : this.#ask(question, token);
  }

  /** Asks again when the person comes back from what the dialog led to. */
  async #ask(question: CallQuestion, token: vscode.CancellationToken): Promise<CallAnswer> {
    for (;;) {
      const answer = await this.#askOnce(question, token);
      if (token.isCancellationRequested) return { kind: 'no' };
      if (answer !== undefined) return answer;
      if (question.origin === 'agent') await this.#listClosed();
      if (token.isCancellationRequested) return { kind: 'no' };
    }
  }

  async #listClosed(): Promise<void> {
    while (this.#list !== undefined) await this.#list;
  }

  async #askOnce(
    question: CallQuestion,
    token: vscode.CancellationToken,
  ): Promise<CallAnswer | undefined> {
    const { reviews, allowAlways, askForWish } = this.#options;
    const offersRules = allowAlways === undefined ? false : await allowAlways.offers(question);
    if (token.isCancellationRequested) return undefined;
    let pressed = await this.#show(question, offersRules);
    if (token.isCancellationRequested || pressed === 'early') return undefined;
    if (pressed === 'review') pressed = await reviews.review(question, token, { offersRules });
    switch (pressed) {
      case 'run':
        return { kind: 'run' };
      case 'remember': {
        const remember = await askForWish(question);
        return remember === undefined ? undefined : { kind: 'run', remember };
      }
      case 'always':
        return (await allowAlways?.choose(question)) === true ? { kind: 'run' } : undefined;
      case 'together':
        await this.answerAgents();
        return undefined;
      case 'edit': {
        const edited = await this.#editArguments(question, token);
        return edited === undefined ? undefined : { kind: 'edited', arguments: edited };
      }
      case undefined:
        return { kind: 'no' };
      default:
        return assertNever(pressed);
    }
  }

  /** What was pressed; `early` where that was before anybody could have read it. */
  async #show(question: CallQuestion, offersRules: boolean): Promise<Press | 'early' | undefined> {
    const { showModal, now } = this.#options;
    const { message, detail, isWhole } = questionText(question);
    const shownAt = now();
    const buttons = buttonsFor(question, isWhole, offersRules);
    const hasOthers = question.origin === 'agent' && this.#ofAgents.length > 1;
    const offersList = hasOthers && this.#options.lists !== undefined;
    const pressed = await showModal(
      message,
      detail,
      offersList ? [...buttons, 'together'] : buttons,
    );
    const isEarly = pressed !== undefined && now() - shownAt < readingMs;
    return isEarly ? 'early' : pressed;
  }
}

/**
 * Enter presses the first button, and a person who just entered the last argument may press it
 * twice: what may destroy something is not what that does, nor what cannot be seen as a whole, nor
 * what an agent asks for, whose question comes while the person types something else.
 */
function buttonsFor(
  { entry, offered, origin }: CallQuestion,
  isWhole: boolean,
  offersRules: boolean,
): readonly Press[] {
  const runs: Press[] = [
    'run',
    ...(offered.length > 0 ? (['remember'] as const) : []),
    ...(offersRules ? (['always'] as const) : []),
  ];
  const isExpected = origin !== 'agent';
  const canRun = isWhole && isExpected && entry.risk.level !== 'destructive';
  return canRun ? [...runs, 'review'] : ['review', ...runs];
}
