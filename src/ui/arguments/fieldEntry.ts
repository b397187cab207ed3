import * as vscode from 'vscode';
import type { Drafts } from '../../core/arguments/fieldDrafts';
import { parseFieldText, type FormField, type TextField } from '../../core/arguments/inputField';
import type { DocumentProperty } from '../../core/arguments/inputFields';
import { fitsFormat } from '../../core/arguments/textFormats';
import type { SchemaTimeLimits, SchemaValidator } from '../../core/schema/schema';
import type { JsonValue } from '../../core/json/jsonValue';
import { fieldErrorSentence, formatSentence, violationSentence } from './argumentProblems';
import { offersOf } from './fieldOffers';
import { askFields } from './fieldQuestions';
import { formatOtherProperties } from './formatField';

/** How the questions ended; the drafts are what was entered until then. */
export interface FieldEntry {
  readonly kind: 'done' | 'document' | 'cancelled';
  readonly drafts: Drafts;
}

/**
 * Asks for one field after the other, back and forth, beginning with `drafts`. Each says which
 * `others` can only be entered as JSON.
 */
export async function enterFields(
  title: string,
  fields: readonly FormField[],
  drafts: Drafts,
  validator: Pick<SchemaValidator, 'validate'>,
  others: readonly DocumentProperty[] = [],
): Promise<FieldEntry> {
  const checks = new FieldChecks(validator);
  const { kind, drafts: entered } = await askFields({
    title,
    fields,
    drafts,
    problemOf: (field, text) => checks.problemOf(field, text),
    doubtOf,
    violationOf: (field, value) => checks.violationOf(field, value),
    offersOf,
    exit: {
      icon: 'json',
      tooltip: vscode.l10n.t('Enter as JSON'),
      ...(others.length === 0 ? {} : { words: formatOtherProperties(others) }),
    },
    hasBefore: false,
  });
  if (kind === 'done') return { kind, drafts: entered };
  return { kind: kind === 'exit' ? 'document' : 'cancelled', drafts: entered };
}

/** Half of it is felt as a stop at each key. */
const typingLimits: SchemaTimeLimits = { compileMs: 1_000, validateMs: 100 };

/** What the schema says of a single value, while it is typed and when it is accepted. */
class FieldChecks {
  readonly #validator: Pick<SchemaValidator, 'validate'>;
  /** Schemas that were given up once: each further key would cost the time limit again. */
  readonly #slow = new Set<JsonValue>();

  constructor(validator: Pick<SchemaValidator, 'validate'>) {
    this.#validator = validator;
  }

  problemOf(field: TextField, text: string): string | undefined {
    const parsed = parseFieldText(field, text);
    if (parsed.kind === 'absent') return undefined;
    if (parsed.kind === 'error') return fieldErrorSentence(parsed.code);
    return this.violationOf(field, parsed.value);
  }

  /** A schema that cannot be used says nothing here; the whole is judged before the call anyway. */
  violationOf({ schema, ...field }: FormField, value: JsonValue): string | undefined {
    const isGate = field.kind === 'choice' && field.opens === true;
    if (isGate || this.#slow.has(schema)) return undefined;
    const verdict = this.#validator.validate(schema, value, typingLimits);
    if (verdict.kind === 'unusable' && verdict.reason.code === 'tooSlow') this.#slow.add(schema);
    const [first] = verdict.kind === 'invalid' ? verdict.violations : [];
    return first === undefined ? undefined : violationSentence(first);
  }
}

/** By JSON Schema a format is a remark, and servers mean different things by the same one. */
function doubtOf({ kind, limits: { format } }: TextField, text: string): string | undefined {
  if (kind !== 'string' || format === undefined || text === '') return undefined;
  if (fitsFormat(format, text)) return undefined;
  return vscode.l10n.t('{0} Press Enter once more to use it as it is.', formatSentence(format));
}
