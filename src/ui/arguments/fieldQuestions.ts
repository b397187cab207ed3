import type { CancellationToken } from 'vscode';
import type { FormField, TextField } from '../../core/arguments/inputField';
import type { Draft } from './fieldDrafts';
import { askChoice, askMany, askText } from './fieldSteps';
import type { ExitButton, Step, StepAnswer } from './fieldSteps';

/** A row of questions, one for each field. */
export interface FieldQuestions {
  readonly title: string;
  readonly fields: readonly FormField[];
  /** What stands in the fields at first; where nothing does, the field's default. */
  readonly drafts: ReadonlyMap<string, Draft>;
  /** Why a text cannot be the value of the field. */
  readonly problemOf: (field: TextField, text: string) => string | undefined;
  /** What the person has to know before the words of the field. */
  readonly noteOf?: (field: FormField) => string | undefined;
  readonly exit: ExitButton;
  /** Whether there is something before the first question, so that Back is there too. */
  readonly hasBefore: boolean;
  /** Whether the last question comes first, for whoever comes back to it. */
  readonly fromEnd?: boolean;
  /** Cancelling closes the question and ends the row as `cancelled`. */
  readonly token?: CancellationToken;
}

/** How the questions ended; the drafts are what was entered until then. */
export interface FieldAnswers {
  readonly kind: 'done' | 'back' | 'exit' | 'cancelled';
  readonly drafts: ReadonlyMap<string, Draft>;
}

/** Asks for one field after the other, back and forth. */
export async function askFields(questions: FieldQuestions): Promise<FieldAnswers> {
  const { fields } = questions;
  const drafts = new Map(questions.drafts);
  let index = questions.fromEnd === true ? fields.length - 1 : 0;
  for (let field = fields[index]; field !== undefined; field = fields[index]) {
    const answer = await askField(field, toStep(questions, field, index, drafts), questions);
    if (answer.draft !== undefined) drafts.set(field.name, answer.draft);
    if (answer.kind === 'exit') return { kind: 'exit', drafts };
    if (answer.kind === 'cancel') return { kind: 'cancelled', drafts };
    index += answer.kind === 'back' ? -1 : 1;
  }
  return { kind: index < 0 ? 'back' : 'done', drafts };
}

function toStep(
  { title, fields, noteOf, exit, hasBefore, token }: FieldQuestions,
  field: FormField,
  index: number,
  drafts: ReadonlyMap<string, Draft>,
): Step {
  const note = noteOf?.(field);
  return {
    title,
    number: index + 1,
    count: fields.length,
    draft: drafts.get(field.name),
    exit,
    hasBack: index > 0 || hasBefore,
    ...(note === undefined ? {} : { note }),
    ...(token === undefined ? {} : { token }),
  };
}

function askField(
  field: FormField,
  step: Step,
  { problemOf }: FieldQuestions,
): Promise<StepAnswer> {
  if (field.kind === 'choice') return askChoice(field, step);
  if (field.kind === 'many') return askMany(field, step);
  return askText(field, step, (text) => problemOf(field, text));
}
