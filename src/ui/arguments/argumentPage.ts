import * as l10n from '@vscode/l10n';
import { checkArguments } from '../../core/arguments/checkArguments';
import {
  toArguments,
  type Drafts,
  hasValue,
  opensObject,
  withImpliedDrafts,
} from '../../core/arguments/fieldDrafts';
import { draftKey, type FormField } from '../../core/arguments/inputField';
import type { DocumentProperty } from '../../core/arguments/inputFields';
import type { SchemaTimeLimits, SchemaValidator } from '../../core/schema/schema';
import type { JsonObject } from '../../core/json/jsonValue';
import { violationSentence } from './argumentProblems';
import { formatWarning, FieldChecks } from './fieldChecks';
import { fieldOffers } from './fieldOffers';
import type { ExitButton, StepOffer } from './fieldStep';
import { askFields, type FieldQuestions } from './fieldQuestions';
import { formatOtherProperties } from './formatField';
import { pagePrompt, type PageAnswer } from './formatPage';
import { chooseInQuickPick } from './rowPrompt';

export interface ArgumentPageOptions {
  /** Names the tool and its server. */
  readonly title: string;
  readonly schema: JsonObject;
  readonly fields: readonly FormField[];
  /** False if the arguments cannot be entered as a document. Defaults to true. */
  readonly canBeDocument?: boolean;
  /** Returns how the server completes the text of the field. Absent: it is only typed. */
  readonly completionOf?: FieldQuestions['completionOf'];
  /** Properties that can be entered only as JSON. */
  readonly others?: readonly DocumentProperty[];
  /** Values that are known already. */
  readonly drafts: Drafts;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  /** Further sources of a value, besides open editors. */
  readonly offersOf?: (field: FormField) => readonly StepOffer[];
  /** True if Back leads to an earlier step. */
  readonly hasBefore?: boolean;
}

/** How the entry ended. The drafts are the values entered until then. */
export interface FieldEntry {
  readonly kind: 'done' | 'document' | 'back' | 'cancelled';
  readonly drafts: Drafts;
}

type Ending = FieldEntry['kind'];

/** The time is spent each time the page is shown. The gate uses longer limits. */
const pageLimits: SchemaTimeLimits = { compileMs: 1_000, validateMs: 100 };

/**
 * Asks for the arguments of a tool on one page. Required arguments without a value are asked first.
 * Then a list shows all arguments with Run on top, and the user picks an argument to change it. If
 * there is only one argument, there is only its question.
 */
export class ArgumentPage {
  readonly #options: ArgumentPageOptions;
  readonly #checks: FieldChecks;
  #drafts: Drafts;

  constructor(options: ArgumentPageOptions) {
    this.#options = options;
    this.#checks = new FieldChecks(options.validator);
    this.#drafts = withImpliedDrafts(options.fields, options.drafts);
  }

  async ask(): Promise<FieldEntry> {
    const { fields, hasBefore = false } = this.#options;
    const asked = fields.length === 1 ? fields : this.#unfit();
    for (let fromEnd = false; ; fromEnd = true) {
      if (asked.length > 0) {
        const kind = await this.#enter(asked, hasBefore, fromEnd);
        // All fields have been asked, so a page would offer nothing.
        if (kind !== 'done' || asked.length === fields.length) return this.#end(kind);
      }
      const kind = await this.#review(asked.length > 0 || hasBefore);
      if (kind !== 'back' || asked.length === 0) return this.#end(kind);
    }
  }

  #end(kind: Ending): FieldEntry {
    return { kind, drafts: this.#drafts };
  }

  /** Shows the list until the user runs the tool or leaves. */
  async #review(hasBack: boolean): Promise<Ending> {
    let active: PageAnswer = 'run';
    for (;;) {
      const { title, fields, others = [], canBeDocument = true } = this.#options;
      const unfit = this.#unfit();
      const problem = unfit.length > 0 ? undefined : this.#violation();
      const prompt = pagePrompt({
        title,
        fields,
        others,
        canBeDocument,
        hasBack,
        active,
        unfit,
        ...(problem === undefined ? {} : { problem }),
        drafts: this.#drafts,
        problemOf: (field) => this.#checks.problemIn(field, this.#drafts),
      });
      const chosen = await chooseInQuickPick<PageAnswer>(prompt);
      if (chosen.kind !== 'chosen') return chosen.kind === 'back' ? 'back' : 'cancelled';
      const { answer } = chosen;
      // A problem of the whole object can be fixed only in a document.
      if (answer === 'document' || (answer === 'run' && problem !== undefined)) return 'document';
      if (answer === 'run' && unfit.length === 0) return 'done';
      const next = await this.#change(answer, unfit);
      if (next === 'document' || next === 'cancelled') return next;
      active = next;
    }
  }

  /** Returns the row to focus next, or how the entry ended. */
  async #change(
    answer: Exclude<PageAnswer, 'document'>,
    unfit: readonly FormField[],
  ): Promise<PageAnswer | 'cancelled'> {
    if (answer !== 'run' && 'leaveOut' in answer) {
      const { leaveOut: field } = answer;
      this.#drafts = without(this.#drafts, draftKey(field));
      return 'run';
    }
    if (answer !== 'run' && opensObject(answer) && !hasValue(answer, this.#drafts)) {
      return this.#open(answer);
    }
    const kind = await this.#enter(answer === 'run' ? unfit : [answer], true);
    if (kind === 'back') return answer;
    return kind === 'done' ? 'run' : kind;
  }

  /** Adds the properties of an optional object to the list and asks for the required ones. */
  async #open(gate: FormField): Promise<PageAnswer | 'cancelled'> {
    const { fields } = this.#options;
    const opened = new Map(this.#drafts).set(draftKey(gate), { value: true });
    this.#drafts = withImpliedDrafts(fields, opened);
    const inner = fields.filter(({ parent }) => parent?.name === gate.name);
    const unfit = this.#unfit().filter((field) => inner.includes(field));
    const kind = unfit.length === 0 ? 'back' : await this.#enter(unfit, true);
    if (kind === 'done') return 'run';
    return kind === 'back' ? (inner[0] ?? gate) : kind;
  }

  async #enter(fields: readonly FormField[], hasBefore: boolean, fromEnd = false): Promise<Ending> {
    const { title, others = [], canBeDocument = true, completionOf } = this.#options;
    const { kind, drafts } = await askFields({
      title,
      fields,
      drafts: this.#drafts,
      problemOf: (field, text) => this.#checks.problemOf(field, text),
      doubtOf: formatWarning,
      violationOf: (field, value) => this.#checks.violationOf(field, value),
      offersOf: (field) => [...fieldOffers(field), ...(this.#options.offersOf?.(field) ?? [])],
      ...(completionOf === undefined ? {} : { completionOf }),
      exit: canBeDocument ? documentButton(others) : undefined,
      hasBefore,
      fromEnd,
    });
    this.#drafts = drafts;
    return kind === 'exit' ? 'document' : kind;
  }

  #unfit(): readonly FormField[] {
    return this.#checks.unfitOf(this.#options.fields, this.#drafts);
  }

  /**
   * Returns why the whole object cannot be sent. An unusable schema is shown in the question before
   * the call.
   */
  #violation(): string | undefined {
    const { validator, schema, fields } = this.#options;
    const value = toArguments(fields, this.#drafts);
    const { verdict } = checkArguments(validator, schema, value, pageLimits);
    const [first] = verdict.kind === 'invalid' ? verdict.violations : [];
    return first === undefined ? undefined : violationSentence(first);
  }
}

function documentButton(others: readonly DocumentProperty[]): ExitButton {
  const button = { icon: 'json', tooltip: l10n.t('Enter as JSON') };
  return others.length === 0 ? button : { ...button, text: formatOtherProperties(others) };
}

function without(drafts: Drafts, key: string): Drafts {
  return new Map([...drafts].filter(([name]) => name !== key));
}
