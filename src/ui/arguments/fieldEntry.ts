import * as vscode from 'vscode';
import type { SchemaValidator } from '../../core/schema/schema';
import {
  parseFieldText,
  type Field,
  type Scalar,
  type TextField,
} from '../../core/arguments/inputField';
import { fieldErrorSentence, violationSentence } from './argumentProblems';
import type { Draft } from './fieldDrafts';
import { askFields } from './fieldQuestions';

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
  const { kind, drafts: entered } = await askFields({
    title,
    fields,
    drafts,
    problemOf: (field, text) => problemOf(field, text, validator),
    exit: { icon: 'json', tooltip: vscode.l10n.t('Enter as JSON') },
    hasBefore: false,
  });
  if (kind === 'done') return { kind, drafts: entered };
  return { kind: kind === 'exit' ? 'document' : 'cancelled', drafts: entered };
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
