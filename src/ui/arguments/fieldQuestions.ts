import type { CancellationToken } from 'vscode';
import {
  isFieldAsked,
  isMultipleValues,
  type Draft,
  type Drafts,
  proposedDraft,
} from '../../core/arguments/fieldDrafts';
import {
  draftKey,
  parseFieldText,
  toFieldText,
  type FormField,
  type TextField,
} from '../../core/arguments/inputField';
import type { JsonValue } from '../../core/json/jsonValue';
import { stringifyExactly } from '../../core/json/writtenNumber';
import {
  type ExitButton,
  type FieldStep,
  type StepAnswer,
  type StepOffer,
  askCompleted,
  type FieldCompletion,
} from './fieldStep';
import { askChoice, askMany, askText, askList } from './fieldSteps';

/** A sequence of questions, one for each field. */
export interface FieldQuestions {
  readonly title: string;
  readonly fields: readonly FormField[];
  /** Initial values. A field without one starts with its default. */
  readonly drafts: Drafts;
  /** Returns why a text cannot be the value of the field. */
  readonly problemOf: (field: TextField, text: string) => string | undefined;
  /** Returns a warning about a text that can be the value. */
  readonly doubtOf?: (field: TextField, text: string) => string | undefined;
  /** Returns why a picked or listed value cannot be the value of the field. */
  readonly violationOf?: (field: FormField, value: JsonValue) => string | undefined;
  /** Returns other sources for the text of the field. */
  readonly offersOf?: (field: FormField) => readonly StepOffer[];
  /** Returns a note that is shown before the prompt of the field. */
  readonly noteOf?: (field: FormField) => string | undefined;
  /** Absent: the questions have no such button. */
  readonly exit?: ExitButton | undefined;
  /** Returns how the server completes the text of the field. Absent: it is only typed. */
  readonly completionOf?: (field: TextField, drafts: Drafts) => FieldCompletion;
  /** True if there is a step before the first question, so that it has Back. */
  readonly hasBefore: boolean;
  /** True if the last question is shown first, for a user who comes back to it. */
  readonly fromEnd?: boolean;
  /** Cancelling closes the question; the sequence ends as `cancelled`. */
  readonly token?: CancellationToken;
}

/** How the questions ended. The drafts are the values entered until then. */
export interface FieldAnswers {
  readonly kind: 'done' | 'back' | 'exit' | 'cancelled';
  readonly drafts: Drafts;
}

/** Asks for one field after the other; Back returns to the one before. */
export async function askFields(questions: FieldQuestions): Promise<FieldAnswers> {
  const { fields } = questions;
  const drafts = new Map(questions.drafts);
  let index = questions.fromEnd === true ? nextIndex(fields, drafts, fields.length, -1) : 0;
  for (let field = fields[index]; field !== undefined; field = fields[index]) {
    const answer = await askField(field, toStep(questions, field, drafts), questions, drafts);
    const isNew = answer.kind === 'next' || !isUntouched(field, drafts, answer.draft);
    if (answer.draft !== undefined && isNew) drafts.set(draftKey(field), answer.draft);
    if (answer.kind === 'exit') return { kind: 'exit', drafts };
    if (answer.kind === 'cancel') return { kind: 'cancelled', drafts };
    if (answer.kind === 'take') {
      // The question is shown again, so that the user sees the new value.
      const texts = await answer.offer.take();
      const taken = takenDraft(field, texts, answer.draft);
      if (taken !== undefined) drafts.set(draftKey(field), taken);
    } else index = nextIndex(fields, drafts, index, answer.kind === 'back' ? -1 : 1);
  }
  return { kind: index < 0 ? 'back' : 'done', drafts };
}

/** A user who has only viewed a question has not accepted its default. */
function isUntouched(field: FormField, drafts: Drafts, draft: Draft | undefined): boolean {
  const shown = drafts.get(draftKey(field)) ?? proposedDraft(field);
  return stringifyExactly(shown) === stringifyExactly(draft);
}

/** Returns the next field to ask for. The first field is always asked. */
function nextIndex(
  fields: readonly FormField[],
  drafts: Drafts,
  from: number,
  direction: 1 | -1,
): number {
  let index = from + direction;
  for (let field = fields[index]; field !== undefined; field = fields[index]) {
    if (isFieldAsked(field, drafts)) break;
    index += direction;
  }
  return index;
}

function takenDraft(
  field: FormField,
  texts: readonly string[],
  before: Draft | undefined,
): Draft | undefined {
  const [text] = texts;
  if (text === undefined) return undefined;
  if (field.kind === 'list') {
    const values = isMultipleValues(before) ? before.values : [];
    const { item } = field;
    const isLine = (one: string): boolean =>
      item.kind === 'string'
        ? toFieldText(item, one) !== undefined
        : parseFieldText(item, one).kind === 'value';
    const lines = texts.filter(isLine);
    return { ...(isMultipleValues(before) ? before : {}), values: [...values, ...lines] };
  }
  if (field.kind === 'choice' || field.kind === 'many') return undefined;
  // A line of text is checked when it is entered, also one that was taken for a number.
  return field.kind === 'string' ? (toFieldText(field, text) ?? { text }) : text;
}

function toStep(
  { title, fields, noteOf, exit, hasBefore, offersOf, token }: FieldQuestions,
  field: FormField,
  drafts: Drafts,
): FieldStep {
  const note = noteOf?.(field);
  const asked = fields.filter((one) => isFieldAsked(one, drafts));
  const number = asked.indexOf(field) + 1;
  return {
    title,
    ...(asked.length > 1 ? { place: { number, count: asked.length } } : {}),
    draft: drafts.get(draftKey(field)),
    exit,
    offers: offersOf?.(field) ?? [],
    hasBack: number > 1 || hasBefore,
    ...(note === undefined ? {} : { note }),
    ...(token === undefined ? {} : { token }),
  };
}

function askField(
  field: FormField,
  step: FieldStep,
  { problemOf, doubtOf, violationOf, completionOf }: FieldQuestions,
  drafts: Drafts,
): Promise<StepAnswer> {
  const judge = (value: JsonValue) => violationOf?.(field, value);
  if (field.kind === 'choice') return askChoice(field, step, judge);
  if (field.kind === 'many') return askMany(field, step, judge);
  const line: TextField = field.kind === 'list' ? field.item : field;
  const texts = {
    problemOf: (text: string) => problemOf(line, text),
    doubtOf: (text: string) => doubtOf?.(line, text),
  };
  if (field.kind === 'list') return askList(field, step, texts, judge);
  const completion = completionOf?.(field, drafts);
  return completion === undefined
    ? askText(field, step, texts)
    : askCompleted(field, step, texts.problemOf, completion);
}
