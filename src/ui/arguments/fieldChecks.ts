import * as l10n from '@vscode/l10n';
import {
  isFieldAsked,
  isPickedChoice,
  isMultipleValues,
  isEnteredText,
  toListValues,
  type Drafts,
  type MultipleValues,
  hasValue,
  opensObject,
} from '../../core/arguments/fieldDrafts';
import {
  draftKey,
  isAllowedCount,
  parseFieldText,
  type FormField,
  type ListField,
  type ManyField,
  type TextField,
} from '../../core/arguments/inputField';
import { fitsFormat } from '../../core/arguments/textFormats';
import type { SchemaTimeLimits, SchemaValidator } from '../../core/schema/schema';
import type { JsonValue } from '../../core/json/jsonValue';
import type { SchemaViolation } from '../../core/types';
import { fieldErrorSentence, formatSentence, violationSentence } from './argumentProblems';
import { choiceLabel, formatItemCount, formatPickedCount } from './formatField';

/** Checks that take longer are noticeable while typing. */
const typingLimits: SchemaTimeLimits = { compileMs: 1_000, validateMs: 100 };

/** Checks single values against the schema, while they are typed and when they are accepted. */
export class FieldChecks {
  readonly #validator: Pick<SchemaValidator, 'validate'>;
  readonly #sentenceOf: (violation: SchemaViolation) => string;
  /**
   * Schemas that exceeded the time limit. They are not tried again, because each key would cost the
   * limit.
   */
  readonly #slow = new Set<JsonValue>();

  constructor(validator: Pick<SchemaValidator, 'validate'>, sentenceOf = violationSentence) {
    this.#validator = validator;
    this.#sentenceOf = sentenceOf;
  }

  problemOf(field: TextField, text: string): string | undefined {
    const parsed = parseFieldText(field, text);
    if (parsed.kind === 'absent') return undefined;
    if (parsed.kind === 'error') return fieldErrorSentence(parsed.code);
    return this.violationOf(field, parsed.value);
  }

  /** An unusable schema reports nothing here; the whole object is checked before the call. */
  violationOf(field: FormField, value: JsonValue): string | undefined {
    const { schema } = field;
    if (opensObject(field) || this.#slow.has(schema)) return undefined;
    const verdict = this.#validator.validate(schema, value, typingLimits);
    if (verdict.kind === 'unusable' && verdict.reason.code === 'tooSlow') this.#slow.add(schema);
    const [first] = verdict.kind === 'invalid' ? verdict.violations : [];
    return first === undefined ? undefined : this.#sentenceOf(first);
  }

  /** Returns the fields whose value is missing or invalid. */
  unfitOf(fields: readonly FormField[], drafts: Drafts): readonly FormField[] {
    return fields.filter((field) => {
      if (opensObject(field) || !isFieldAsked(field, drafts)) return false;
      return (
        (field.required && !hasValue(field, drafts)) || this.problemIn(field, drafts) !== undefined
      );
    });
  }

  /** Returns why the value of the field cannot be sent. A field that is left out has no problem. */
  problemIn(field: FormField, drafts: Drafts): string | undefined {
    const draft = drafts.get(draftKey(field));
    if (draft === undefined) return undefined;
    if (field.kind === 'choice') {
      const value = isPickedChoice(draft) ? draft.value : undefined;
      return value === undefined ? undefined : this.violationOf(field, value);
    }
    if (field.kind === 'many' || field.kind === 'list') {
      return isMultipleValues(draft) ? this.#problemOfSeveral(field, draft) : undefined;
    }
    const text = isEnteredText(draft) ? draft.text : draft;
    return typeof text === 'string' ? this.problemOf(field, text) : undefined;
  }

  #problemOfSeveral(
    field: ManyField | ListField,
    { values, typed }: MultipleValues,
  ): string | undefined {
    if (typed !== undefined) {
      return l10n.t('“{0}” has not been added yet.', choiceLabel(typed));
    }
    if (values.length === 0 && !field.required) return undefined;
    const isMany = field.kind === 'many';
    if (!isAllowedCount(field, values.length)) {
      return isMany ? formatPickedCount(field) : formatItemCount(field);
    }
    if (isMany) return this.violationOf(field, values);
    const unreadable = values.find((line) => parseFieldText(field.item, line).kind !== 'value');
    if (unreadable !== undefined) return this.problemOf(field.item, unreadable);
    return this.violationOf(field, toListValues(field, values));
  }
}

/**
 * A format is only an annotation in JSON Schema, and servers interpret the same format differently.
 * So a mismatch is only a warning.
 */
export function formatWarning(
  { kind, limits: { format } }: TextField,
  text: string,
): string | undefined {
  if (kind !== 'string' || format === undefined || text === '') return undefined;
  if (fitsFormat(format, text)) return undefined;
  return l10n.t('{0} Press Enter again to use it anyway.', formatSentence(format, text));
}
