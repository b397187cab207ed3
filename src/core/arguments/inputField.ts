import type { JsonObject } from '../json/jsonValue';
import { heldNumber, isNumber, isWhole, numberOf, type WrittenNumber } from '../json/writtenNumber';
import { hasHiddenCharacters } from '../visibleText';

/** What JSON Schema calls neither object nor array. */
export type Scalar = string | number | WrittenNumber | boolean | null;

interface FieldBase {
  /** The property, exactly as in the schema. */
  readonly name: string;
  /** Title of the schema, else the name; from the server, untrusted. */
  readonly label: string;
  /** Description of the schema; untrusted. */
  readonly prompt?: string;
  readonly required: boolean;
  /** Only if it is a value that could be entered here, and no secret. */
  readonly default?: Scalar;
  /** The property's own schema, for validating what was entered. */
  readonly schema: JsonObject;
  /** The object that it is a property of; absent where that is the arguments themselves. */
  readonly parent?: FieldParent;
  /** Not to be shown while it is typed, and not to be kept. */
  readonly isSecret?: true;
}

/** A property of the arguments that is an object, whose own properties are fields. */
export interface FieldParent {
  readonly name: string;
  /** From the server, untrusted. */
  readonly label: string;
  readonly required: boolean;
}

/** A value that is typed in one line. */
export interface TextField extends FieldBase {
  readonly kind: 'string' | 'number' | 'integer';
  /** Whether a number may also be `null`, which is typed as such. */
  readonly isNullable: boolean;
  readonly limits: FieldLimits;
}

/** A value that is picked: an enum, a constant or a boolean. */
export interface ChoiceField extends FieldBase {
  readonly kind: 'choice';
  readonly choices: readonly Scalar[];
  /** What the person reads instead, one for each choice that has one; untrusted. */
  readonly titles?: readonly string[];
  /**
   * Picking its only choice has the fields of an optional object asked for, whose parent it names;
   * nothing is sent for it.
   */
  readonly opens?: true;
}

/** Several texts that are picked from a list, and sent in the order of the list. */
export interface ManyField extends Omit<FieldBase, 'default'> {
  readonly kind: 'many';
  readonly choices: readonly string[];
  /** What the person reads instead, one for each choice that has one; untrusted. */
  readonly titles?: readonly string[];
  readonly defaults?: readonly string[];
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Any number of values that are typed one after the other. */
export interface ListField extends Omit<FieldBase, 'default'> {
  readonly kind: 'list';
  /** What each of them is; required, so that none is left out. */
  readonly item: TextField;
  /** As they would be typed. */
  readonly defaults?: readonly string[];
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Whatever one step can ask for. */
export type FormField = TextField | ChoiceField | ManyField | ListField;

/** What the schema asks of the text, to say before it is typed; the validator decides. */
export interface FieldLimits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
}

/** A longer one is not read in an input box of one line. */
const maxLineChars = 1_000;

/**
 * How `value` is typed into the field, or `undefined` where the line would not be that value:
 * several lines, hidden characters, another type, an empty text that would mean "left out".
 */
export function toFieldText(field: TextField, value: unknown): string | undefined {
  if (field.kind !== 'string') {
    if (value === null && field.isNullable) return 'null';
    const isFitting = isNumber(value) && (field.kind === 'number' || isWhole(value));
    return isFitting && isExactNumber(value) ? String(value) : undefined;
  }
  if (typeof value !== 'string' || value.length > maxLineChars) return undefined;
  if (value === '' && !field.required) return undefined;
  const isOneLine = !/[\t\n\r]/.test(value) && !hasHiddenCharacters(value, maxLineChars);
  return isOneLine ? value : undefined;
}

export type FieldTextError = 'empty' | 'notANumber' | 'notAnInteger';

export type ParsedField =
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'absent' }
  | { readonly kind: 'error'; readonly code: FieldTextError };

/**
 * What was typed as the value that will be sent: numbers as numbers, texts unchanged to
 * the last blank. Nothing typed means "left out" for a field that is not required.
 */
export function parseFieldText(field: TextField, text: string): ParsedField {
  if (text === '' && !field.required) return { kind: 'absent' };
  if (field.kind === 'string') return { kind: 'value', value: text };
  const typed = text.trim();
  if (typed === '') return { kind: 'error', code: 'empty' };
  if (typed === 'null' && field.isNullable) return { kind: 'value', value: null };
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(typed)) {
    return { kind: 'error', code: 'notANumber' };
  }
  const value = typedNumber(typed);
  return field.kind === 'integer' && !isWhole(value)
    ? { kind: 'error', code: 'notAnInteger' }
    : { kind: 'value', value };
}

/** Every digit of it: as JSON has it, where JavaScript cannot hold the number. */
function typedNumber(typed: string): number | WrittenNumber {
  const json = typed
    .replace(/^\+/, '')
    .replace(/^(-?)0+(?=\d)/, '$1')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.(?!\d)/, '');
  const value = numberOf(json);
  return typeof value === 'object' ? heldNumber(value) : value;
}

/** Whether the digits are those of whoever wrote it: of a schema nobody keeps them. */
export function isExactNumber(value: number | WrittenNumber): boolean {
  if (typeof value === 'object') return true;
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** None at all is no violation where the field may be left out. */
export function isAllowedCount(
  { required, minItems = 0, maxItems }: ManyField | ListField,
  count: number,
): boolean {
  if (count === 0 && !required) return true;
  return count >= minItems && count <= (maxItems ?? count);
}
