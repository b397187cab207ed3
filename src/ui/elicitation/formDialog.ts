import * as l10n from '@vscode/l10n';
import type { CancellationToken } from 'vscode';
import {
  type ElicitationResult,
  type FormElicitation,
  findSecretFields,
} from '../../core/input/elicitation';
import { defaultDraft, type Drafts } from '../../core/arguments/fieldDrafts';
import { draftKey, type FormField } from '../../core/arguments/inputField';
import type { SchemaValidator } from '../../core/schema/schema';
import type { FieldAnswers } from '../arguments/fieldQuestions';
import { quickInputText } from '../arguments/formatField';
import { fieldGroups, formatUnfit, type FieldAnswer } from '../arguments/formatPage';
import type { Prompt, PromptRow } from '../arguments/rowPrompt';
import { questionPrompt, questionTitle, secretNote } from './formatElicitation';
import { jsonNames, toContent, toFormFields, AnswerChecks, contentProblem } from './formFields';
import type { FormPrompts } from './formPrompts';

interface FormDialogOptions {
  readonly prompts: FormPrompts;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  /** True if closing the form leaves the question for later. */
  readonly canWait: boolean;
}

const maxServerChars = 60;

type FormAnswer = 'send' | 'decline' | 'close' | FieldAnswer;

/**
 * One form of a server, as one list: the server, its question, and all fields with their values. A
 * field is selected to change it. Declining and closing are reported differently, and
 * everything that is sent is in the list.
 */
export class FormDialog {
  readonly #options: FormDialogOptions;
  readonly #request: FormElicitation;
  readonly #fields: readonly FormField[];
  readonly #secrets: ReadonlySet<string>;
  readonly #checks: AnswerChecks;
  readonly #title: string;
  readonly #server: string;
  readonly #token: CancellationToken;
  #drafts: Drafts;

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
    this.#checks = new AnswerChecks(request, options.validator);
    this.#title = questionTitle(server);
    this.#server = quickInputText(server, maxServerChars);
    this.#token = token;
    this.#drafts = withDefaults(this.#fields);
  }

  async ask(): Promise<ElicitationResult> {
    let active: FormAnswer = 'send';
    while (!this.#token.isCancellationRequested) {
      const unfit = this.#checks.unfitOf(this.#fields, this.#drafts);
      const content = toContent(this.#fields, this.#drafts, jsonNames(this.#request));
      const problem = unfit.length > 0 ? undefined : this.#problemOf(content);
      const prompt = this.#prompt(unfit, problem, active);
      const chosen = await this.#options.prompts.choose<FormAnswer>(prompt, this.#token);
      if (chosen.kind !== 'chosen' || chosen.answer === 'close') break;
      const { answer } = chosen;
      if (answer === 'decline') return { action: 'decline' };
      if (answer === 'send' && unfit.length === 0) {
        if (problem === undefined) return { action: 'accept', content };
      } else {
        const next = await this.#change(answer, unfit);
        if (next === 'decline') return { action: 'decline' };
        active = next;
      }
    }
    return { action: 'cancel' };
  }

  #problemOf(content: object): string | undefined {
    // A form without fields only asks for consent.
    if (this.#fields.length === 0) return undefined;
    return contentProblem(this.#request, content, this.#options.validator);
  }

  /** Returns the row that has the focus next. */
  async #change(answer: 'send' | FieldAnswer, unfit: readonly FormField[]): Promise<FormAnswer> {
    if (answer !== 'send' && 'leaveOut' in answer) {
      const key = draftKey(answer.leaveOut);
      this.#drafts = new Map([...this.#drafts].filter(([name]) => name !== key));
      return answer.leaveOut;
    }
    const { kind, drafts } = await this.#enter(answer === 'send' ? unfit : [answer]);
    if (kind === 'exit') return 'decline';
    // A field that is left without Enter keeps its earlier value.
    if (kind === 'done' || answer === 'send') this.#drafts = drafts;
    return kind === 'done' ? 'send' : answer;
  }

  #enter(fields: readonly FormField[]): Promise<FieldAnswers> {
    return this.#options.prompts.enter({
      title: this.#title,
      fields,
      drafts: this.#drafts,
      problemOf: (field, text) => this.#checks.problemOf(field, text),
      violationOf: (field, value) => this.#checks.violationOf(field, value),
      noteOf: ({ name }) => (this.#secrets.has(name) ? secretNote() : undefined),
      exit: { icon: 'circle-slash', tooltip: l10n.t('Decline') },
      hasBefore: true,
      token: this.#token,
    });
  }

  #prompt(
    unfit: readonly FormField[],
    problem: string | undefined,
    active: FormAnswer,
  ): Prompt<FormAnswer> {
    const problemOf = (field: FormField) => this.#checks.problemIn(field, this.#drafts);
    const list = { fields: this.#fields, drafts: this.#drafts, problemOf };
    return {
      title: this.#title,
      message: questionPrompt(this.#request, this.#fields, this.#secrets),
      placeholder: this.#placeholder(),
      groups: [
        { heading: '', rows: [this.#sendRow(unfit, problem), declineRow(), this.#closeRow()] },
        ...fieldGroups({ ...list, absent: l10n.t('(left out)') }),
      ],
      hasBack: false,
      active,
    };
  }

  #sendRow(unfit: readonly FormField[], problem: string | undefined): PromptRow<FormAnswer> {
    const isConsent = this.#fields.length === 0;
    const label = isConsent ? l10n.t('Accept') : l10n.t('Send to “{0}”', this.#server);
    const problemOf = (field: FormField) => this.#checks.problemIn(field, this.#drafts);
    const description = unfit.length > 0 ? formatUnfit(unfit, problemOf) : problem;
    return description === undefined
      ? { label, icon: 'check', answer: 'send' }
      : { label, icon: 'warning', description, answer: 'send' };
  }

  #closeRow(): PromptRow<'close'> {
    return this.#options.canWait
      ? {
          label: l10n.t('Later'),
          icon: 'watch',
          description: l10n.t('The question stays open on the row of its call in Calls.'),
          answer: 'close',
        }
      : {
          label: l10n.t('Cancel'),
          icon: 'close',
          description: l10n.t('Tells the server that you closed the question.'),
          answer: 'close',
        };
  }

  #placeholder(): string {
    const isQuestion = this.#fields.length > 0;
    if (this.#options.canWait) {
      return isQuestion
        ? l10n.t('Send, or select an answer to change it. Escape postpones the question.')
        : l10n.t('Accept or decline. Escape postpones the question.');
    }
    return isQuestion
      ? l10n.t('Send, or select an answer to change it. Escape cancels.')
      : l10n.t('Accept or decline. Escape cancels.');
  }
}

/** Each default of the server is the first value of its field. */
function withDefaults(fields: readonly FormField[]): Drafts {
  return new Map(
    fields.flatMap((field) => {
      const draft = defaultDraft(field);
      return draft === undefined ? [] : [[draftKey(field), draft] as const];
    }),
  );
}

function declineRow(): PromptRow<'decline'> {
  return {
    label: l10n.t('Decline'),
    icon: 'circle-slash',
    description: l10n.t('Tells the server that you declined.'),
    answer: 'decline',
  };
}
