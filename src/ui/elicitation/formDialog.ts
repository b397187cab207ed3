import * as l10n from '@vscode/l10n';
import type { CancellationToken } from 'vscode';
import {
  type ElicitationResult,
  type FormElicitation,
  findSecretFields,
} from '../../core/input/elicitation';
import type { FormField } from '../../core/arguments/inputField';
import type { SchemaValidator } from '../../core/schema/schema';
import type { Draft } from '../../core/arguments/fieldDrafts';
import type { FieldAnswers } from '../arguments/fieldQuestions';
import { fieldLabel, quickInputText, formatFieldValue } from '../arguments/formatField';
import type { PromptRow } from '../arguments/rowPrompt';
import { answerProblem, contentProblem } from './answerProblems';
import { introductionPrompt, questionTitle, secretNote } from './formatElicitation';
import { jsonNames, toContent, toFormFields } from './formFields';
import type { FormPrompts } from './formPrompts';

export interface FormDialogOptions {
  readonly prompts: FormPrompts;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  /** True if closing the form leaves the question for later. */
  readonly canWait: boolean;
}

const maxServerChars = 60;

/** The user's choices at the end. A field is selected to change it. */
type ReviewAnswer = 'send' | 'decline' | 'later' | FormField;

/**
 * One form of a server: first the server, the request and its reason, then the fields one by one,
 * then a review of all answers. The user can decline or close at every step, and the two are
 * reported differently.
 */
export class FormDialog {
  readonly #options: FormDialogOptions;
  readonly #request: FormElicitation;
  readonly #fields: readonly FormField[];
  readonly #secrets: ReadonlySet<string>;
  readonly #ofJson: ReadonlySet<string>;
  readonly #title: string;
  readonly #server: string;
  readonly #token: CancellationToken;
  #drafts: ReadonlyMap<string, Draft> = new Map();

  constructor(
    server: string,
    request: FormElicitation,
    options: FormDialogOptions,
    token: CancellationToken,
  ) {
    this.#options = options;
    this.#request = request;
    this.#fields = toFormFields(request);
    this.#secrets = findSecretFields(request);
    this.#ofJson = jsonNames(request);
    this.#title = questionTitle(server);
    this.#server = quickInputText(server, maxServerChars);
    this.#token = token;
  }

  async ask(): Promise<ElicitationResult> {
    for (;;) {
      const opening = await this.#introduce();
      if (opening !== 'answer') return { action: opening };
      // The form has no fields to enter or review.
      if (this.#fields.length === 0) return { action: 'accept', content: {} };
      const result = await this.#fill();
      if (result !== 'back') return result;
    }
  }

  async #introduce(): Promise<'answer' | 'decline' | 'cancel'> {
    const isQuestion = this.#fields.length > 0;
    const chosen = await this.#options.prompts.choose<'answer' | 'decline' | 'later'>(
      {
        title: this.#title,
        message: introductionPrompt(this.#request, this.#fields, this.#secrets),
        placeholder: this.#placeholder(isQuestion),
        groups: [
          {
            heading: '',
            rows: [
              {
                label: isQuestion ? l10n.t('Answer…') : l10n.t('Accept'),
                icon: isQuestion ? 'edit' : 'check',
                ...(isQuestion
                  ? { detail: l10n.t('You see everything again before it is sent.') }
                  : {}),
                answer: 'answer',
              },
              declineRow(),
              ...this.#laterRows,
            ],
          },
        ],
        hasBack: false,
      },
      this.#token,
    );
    return chosen.kind === 'chosen' && chosen.answer !== 'later' ? chosen.answer : 'cancel';
  }

  #placeholder(isQuestion: boolean): string {
    if (this.#options.canWait) return l10n.t('Answer or decline. Escape postpones the question.');
    return isQuestion
      ? l10n.t('Answer or decline. Escape cancels.')
      : l10n.t('Accept or decline. Escape cancels.');
  }

  get #laterRows(): readonly PromptRow<'later'>[] {
    if (!this.#options.canWait) return [];
    const detail = l10n.t('The question stays open on the row of its call in Calls.');
    return [{ label: l10n.t('Later'), icon: 'watch', detail, answer: 'later' }];
  }

  async #fill(): Promise<ElicitationResult | 'back'> {
    for (let fromEnd = false; ; fromEnd = true) {
      const { kind } = await this.#enter(this.#fields, fromEnd);
      if (kind === 'exit') return { action: 'decline' };
      if (kind === 'cancelled') return { action: 'cancel' };
      if (kind === 'back') return 'back';
      const result = await this.#review();
      if (result !== 'back') return result;
    }
  }

  async #enter(fields: readonly FormField[], fromEnd = false): Promise<FieldAnswers> {
    const { prompts, validator } = this.#options;
    const answers = await prompts.enter({
      title: this.#title,
      fields,
      drafts: this.#drafts,
      problemOf: (field, text) =>
        answerProblem(field, text, validator, this.#ofJson.has(field.name)),
      noteOf: ({ name }) => (this.#secrets.has(name) ? secretNote() : undefined),
      exit: { icon: 'circle-slash', tooltip: l10n.t('Decline') },
      hasBefore: true,
      fromEnd,
      token: this.#token,
    });
    this.#drafts = answers.drafts;
    return answers;
  }

  /** Answers are sent only after the user has reviewed all of them. */
  async #review(): Promise<ElicitationResult | 'back'> {
    for (;;) {
      const content = toContent(this.#fields, this.#drafts, this.#ofJson);
      const problem = contentProblem(this.#request, content, this.#options.validator);
      const chosen = await this.#choose(problem);
      if (chosen.kind === 'back') return 'back';
      if (chosen.kind === 'cancel' || chosen.answer === 'later') return { action: 'cancel' };
      if (chosen.answer === 'decline') return { action: 'decline' };
      if (chosen.answer === 'send') return { action: 'accept', content };
      const before = this.#drafts;
      const { kind } = await this.#enter([chosen.answer]);
      if (kind === 'exit') return { action: 'decline' };
      if (kind === 'cancelled') return { action: 'cancel' };
      // Back restores the earlier value, even after invalid input.
      if (kind === 'back') this.#drafts = before;
    }
  }

  #choose(problem: string | undefined) {
    const send: PromptRow<ReviewAnswer> = {
      label: l10n.t('Send to “{0}”', this.#server),
      icon: 'check',
      answer: 'send',
    };
    const others: readonly PromptRow<ReviewAnswer>[] = [declineRow(), ...this.#laterRows];
    const answers = this.#fields.map((field): PromptRow<ReviewAnswer> => {
      const description = formatFieldValue(field, this.#drafts.get(field.name));
      return { label: fieldLabel(field), description, answer: field };
    });
    return this.#options.prompts.choose<ReviewAnswer>(
      {
        title: this.#title,
        message: problem ?? l10n.t('Exactly these values are sent.'),
        placeholder: this.#options.canWait
          ? l10n.t('Send, or select an answer to change it. Escape postpones the question.')
          : l10n.t('Send, or select an answer to change it. Escape cancels.'),
        groups: [
          { heading: '', rows: problem === undefined ? [send, ...others] : others },
          { heading: l10n.t('Your answers'), rows: answers },
        ],
        hasBack: true,
      },
      this.#token,
    );
  }
}

function declineRow(): PromptRow<'decline'> {
  return {
    label: l10n.t('Decline'),
    icon: 'circle-slash',
    detail: l10n.t('Tells the server that you declined.'),
    answer: 'decline',
  };
}
