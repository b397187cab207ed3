import type { SchemaValidator } from '../../core/schema';
import { parseFieldText, type Field, type Scalar, type TextField } from '../../core/inputField';
import { fieldErrorSentence, violationSentence } from './argumentProblems';
import type { Draft } from './fieldDrafts';
import { askChoice, askText, type Step, type StepAnswer } from './fieldSteps';

/** How the questions ended; the drafts are what was entered until then. */
export interface FieldEntry {
  readonly kind: 'done' | 'document' | 'cancelled';
  readonly drafts: ReadonlyMap<string, Draft>;
}

/** Asks for one field after the other, back and forth, beginning with `drafts`. */
export async function enterFields(
  title: string,
  fields: readonly Field[],
  drafts: ReadonlyMap<string, Draft>,
  validator: Pick<SchemaValidator, 'validate'>,
): Promise<FieldEntry> {
  const entered = new Map(drafts);
  let index = 0;
  for (let field = fields[index]; field !== undefined; field = fields[index]) {
    const draft = entered.get(field.name);
    const step = { title, number: index + 1, count: fields.length, draft };
    const answer = await askField(field, step, validator);
    if (answer.draft !== undefined) entered.set(field.name, answer.draft);
    if (answer.kind === 'document') return { kind: 'document', drafts: entered };
    if (answer.kind === 'cancel') return { kind: 'cancelled', drafts: entered };
    index += answer.kind === 'back' ? -1 : 1;
  }
  return { kind: 'done', drafts: entered };
}

function askField(
  field: Field,
  step: Step,
  validator: Pick<SchemaValidator, 'validate'>,
): Promise<StepAnswer> {
  if (field.kind === 'choice') return askChoice(field, step);
  return askText(field, step, (text) => problemOf(field, text, validator));
}

function problemOf(
  field: TextField,
  text: string,
  validator: Pick<SchemaValidator, 'validate'>,
): string | undefined {
  const parsed = parseFieldText(field, text);
  if (parsed.kind === 'absent') return undefined;
  if (parsed.kind === 'error') return fieldErrorSentence(parsed.code);
  return schemaProblemOf(field, parsed.value, validator);
}

/** A schema that cannot be used says nothing here; the whole is judged before the call anyway. */
function schemaProblemOf(
  field: TextField,
  value: Scalar,
  validator: Pick<SchemaValidator, 'validate'>,
): string | undefined {
  const verdict = validator.validate(field.schema, value);
  const [first] = verdict.kind === 'invalid' ? verdict.violations : [];
  return first === undefined ? undefined : violationSentence(first);
}
