import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { assertNever } from '../../core/errors';
import type { JsonObject } from '../../core/json/jsonValue';
import type { CallAnswer, CallQuestion } from '../../host/calls/call';
import type { GrantChoice } from '../../host/consent/grants/grant';
import type { CallReviews, ReviewButton } from './confirmReview';
import { questionText, secondQuestionText } from './confirmText';

/** Buttons in the dialog or on the review. Closing either gives `undefined`. */
export type PressedButton = ReviewButton | 'review' | 'together';

export interface QuestionDialog {
  readonly message: string;
  readonly detail: string;
  /** True if there is something to warn about. */
  readonly isWarning: boolean;
  /** Enter activates the first one. */
  readonly buttons: readonly PressedButton[];
}

type ShowModal = (dialog: QuestionDialog) => Promise<PressedButton | undefined>;

/** Calls that the user allowed from now on, besides this one: a permission, or a saved rule. */
export type AllowedCalls =
  | { readonly kind: 'grant'; readonly grant: GrantChoice }
  | { readonly kind: 'ruleSaved' };

/** Asks for other, valid arguments for this call. Resolves to `undefined` if the user goes back. */
type EditArguments = (
  question: CallQuestion,
  token: vscode.CancellationToken,
) => Promise<JsonObject | undefined>;

/** Milliseconds before a question that was answered too early is shown again. */
const againMs = 20;
/**
 * Milliseconds. A key pressed earlier was meant for something else, because the question was not
 * read.
 */
const readingMs = 500;

interface CallLists {
  /** Resolves to the numbers of the calls that may run, or `undefined` if the list was closed. */
  readonly askTogether: (
    questions: readonly CallQuestion[],
  ) => Promise<ReadonlySet<number> | undefined>;
}

export interface ModalOfWindow {
  readonly showModal: ShowModal;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

export interface ModalConfirmOptions extends ModalOfWindow {
  readonly reviews: Pick<CallReviews, 'review'>;
  /** Resolves to `undefined` if the user goes back to the question. */
  readonly askWhatToAllow: (question: CallQuestion) => Promise<AllowedCalls | undefined>;
  /** Asks about several calls at once. Absent: calls are asked about one by one. */
  readonly lists?: CallLists;
  /** Shows an informational sentence. */
  readonly notify: (sentence: string) => void;
}

/**
 * Asks the user about one call at a time, in a dialog that shows exactly what will be called and
 * with which arguments. Only the Run buttons mean yes.
 */
export class ModalConfirm {
  readonly #options: ModalConfirmOptions;
  readonly #held = new Set<PendingQuestion>();
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** An open list of calls. Dialogs wait until it is closed. */
  #list: Promise<unknown> | undefined;
  #editArguments: EditArguments = () => Promise.resolve(undefined);

  constructor(options: ModalConfirmOptions) {
    this.#options = options;
  }

  /** Sets the function that edits the arguments of a call while it is asked about. */
  editArgumentsBy(editArguments: EditArguments): void {
    this.#editArguments = editArguments;
  }

  /**
   * Waits for the earlier questions. Cancelling answers with no at once. A question that is
   * cancelled before its turn is never shown, and its data is released.
   */
  confirm(question: CallQuestion, token: vscode.CancellationToken): Promise<CallAnswer> {
    if (token.isCancellationRequested) return Promise.resolve({ kind: 'no' });
    const held = new PendingQuestion(question, token);
    this.#held.add(held);
    const turn = this.#lastTurn.then(() => this.#askHeld(held));
    // A failed question rejects for its own caller, and does not block the others.
    this.#lastTurn = turn.catch(() => undefined);
    return held.byTurn(turn).finally(() => this.#held.delete(held));
  }

  /**
   * Lists the waiting calls of agents in one document. Calls that are approved there run, and the
   * rest are asked about in turn. Resolves when the list is closed, even if it was opened earlier.
   * Resolves to `false` if no calls wait.
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

  get #ofAgents(): readonly PendingQuestion[] {
    return [...this.#held].filter(({ question }) => question?.origin === 'agent');
  }

  async #answerListed(waiting: readonly PendingQuestion[]): Promise<void> {
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
        ? l10n.t('1 call was not made because its agent no longer waits.')
        : l10n.t('{0} calls were not made because their agents no longer wait.', late);
    this.#options.notify(sentence);
  }

  async #askHeld(held: PendingQuestion): Promise<CallAnswer> {
    // An agent's call may be in the list. The user's own calls are not, and would wait unseen.
    if (held.question?.origin === 'agent') await this.#listClosed();
    const { question, token } = held;
    return question === undefined ? { kind: 'no' } : this.#ask(question, token);
  }

  /** Asks again if the user comes back from a step that the dialog led to. */
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
    let pressed = await this.#show(question, token);
    if (pressed === 'review' && !token.isCancellationRequested) {
      pressed = await this.#options.reviews.review(question, token);
    }
    if (token.isCancellationRequested) return undefined;
    switch (pressed) {
      case 'run':
        return { kind: 'run' };
      case 'allow': {
        const allowed = await this.#options.askWhatToAllow(question);
        if (allowed === undefined) return undefined;
        return allowed.kind === 'grant'
          ? { kind: 'run', remember: allowed.grant }
          : { kind: 'run' };
      }
      case 'together':
        await this.answerAgents();
        return undefined;
      case 'edit': {
        const edited = await this.#editArguments(question, token);
        return edited === undefined ? undefined : { kind: 'edited', arguments: edited };
      }
      case undefined:
        return { kind: 'no' };
      case 'review':
        return undefined;
      default:
        return assertNever(pressed);
    }
  }

  /** Run needs a second answer if {@link needsSecondAnswer} says so, and Enter does not give it. */
  async #show(
    question: CallQuestion,
    token: vscode.CancellationToken,
  ): Promise<PressedButton | undefined> {
    let isRisky = false;
    const pressed = await this.#press(question, token, (isEarly) => {
      const text = questionText(question, { isEarly });
      isRisky = needsSecondAnswer(question, text.isWhole);
      return { ...text, buttons: this.#buttonsFor(question) };
    });
    if (pressed !== 'run' || !isRisky) return pressed;
    return this.#press(question, token, (isEarly) => ({
      ...secondQuestionText(question, { isEarly }),
      buttons: ['review', 'run'],
    }));
  }

  #press(
    { origin }: CallQuestion,
    token: vscode.CancellationToken,
    dialogOf: (isEarly: boolean) => QuestionDialog,
  ): Promise<PressedButton | undefined> {
    return pressWhenRead(this.#options, dialogOf, async () => {
      if (origin === 'agent') await this.#listClosed();
      return !token.isCancellationRequested;
    });
  }

  /** The order is fixed, so that each button keeps its place. */
  #buttonsFor({ offered, origin }: CallQuestion): readonly PressedButton[] {
    const hasOthers = origin === 'agent' && this.#ofAgents.length > 1;
    return [
      'run',
      'review',
      ...(offered.length > 0 ? (['allow'] as const) : []),
      ...(hasOthers && this.#options.lists !== undefined ? (['together'] as const) : []),
    ];
  }
}

/**
 * Resolves to the button that the user pressed. Shows the dialog again, with the reason, if it was
 * answered before it could be read, as long as `goesOn`.
 */
export async function pressWhenRead(
  { showModal, now }: ModalOfWindow,
  dialogOf: (isEarly: boolean) => QuestionDialog,
  goesOn: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<PressedButton | undefined> {
  for (let isEarly = false; ; isEarly = true) {
    const dialog = dialogOf(isEarly);
    const shownAt = now();
    const pressed = await showModal(dialog);
    if (pressed === undefined || now() - shownAt >= readingMs) return pressed;
    // The dialog may have been answered without being shown, which must not become a busy loop.
    await new Promise((resolve) => setTimeout(resolve, againMs));
    if (!(await goesOn())) return undefined;
  }
}

/**
 * Enter activates Run, and a user who just entered the last argument may press it twice. That must
 * not run a call that may be destructive, a call that cannot be seen as a whole, or a call of an
 * agent, whose question can appear while the user types something else.
 */
function needsSecondAnswer({ entry, origin }: CallQuestion, isWhole: boolean): boolean {
  return !isWhole || origin === 'agent' || entry.risk.level === 'destructive';
}

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
