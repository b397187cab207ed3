import { toPointerStep } from '../json/jsonPointer';
import type { JsonObject } from '../json/jsonValue';
import {
  toExactNumber,
  isNumber,
  isWhole,
  numberOf,
  type WrittenNumber,
} from '../json/writtenNumber';
import { hasHiddenCharacters } from '../visibleText';

/** A JSON value that is neither object nor array. */
export type Scalar = string | number | WrittenNumber | boolean | null;

interface FieldBase {
  /** The property, exactly as in the schema. */
  readonly name: string;
  /** Title of the schema, or else the name. Untrusted: from the server. */
  readonly label: string;
  /** Description of the schema. Untrusted. */
  readonly prompt?: string;
  readonly required: boolean;
  /** Absent if it cannot be entered in the field, or is a secret. */
  readonly default?: Scalar;
  /** The property's own schema, to validate the input. */
  readonly schema: JsonObject;
  /** The object that contains the property. Absent for the arguments themselves. */
  readonly parent?: FieldParent;
  /** True if the input is masked and not kept. */
  readonly isSecret?: true;
}

/** An object among the arguments whose own properties are fields. */
export interface FieldParent {
  readonly name: string;
  /** Untrusted: from the server. */
  readonly label: string;
  readonly required: boolean;
}

/** A value that is typed on one line. */
export interface TextField extends FieldBase {
  readonly kind: 'string' | 'number' | 'integer';
  /** True if a number may also be `null`, which is typed as such. */
  readonly isNullable: boolean;
  readonly limits: FieldLimits;
}

/** A value that is picked: an enum, a constant or a boolean. */
export interface ChoiceField extends FieldBase {
  readonly kind: 'choice';
  readonly choices: readonly Scalar[];
  /** Displayed instead of the choices that have one. Untrusted. */
  readonly titles?: readonly string[];
  /**
   * True if picking the only choice opens the fields of an optional object, which `parent` names.
   * The choice itself is not sent.
   */
  readonly opens?: true;
}

/** Several strings that are picked from a list, and sent in its order. */
export interface ManyField extends Omit<FieldBase, 'default'> {
  readonly kind: 'many';
  readonly choices: readonly string[];
  /** Displayed instead of the choices that have one. Untrusted. */
  readonly titles?: readonly string[];
  readonly defaults?: readonly string[];
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Any number of values that are typed one after the other. */
export interface ListField extends Omit<FieldBase, 'default'> {
  readonly kind: 'list';
  /** The field of one item. Required, so that no item is left out. */
  readonly item: TextField;
  /** In the form in which they would be typed. */
  readonly defaults?: readonly string[];
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A field of any kind. */
export type FormField = TextField | ChoiceField | ManyField | ListField;

/** Constraints to display before the user types. The validator decides. */
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

/** Longer text is unreadable in an input box. */
const maxLineChars = 1_000;

/**
 * Converts `value` to the text of the field. Returns `undefined` if the text would not give the
 * same value: several lines, hidden characters, another type, or an empty string that would mean
 * "left out".
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
 * Converts typed text to the value to send: numbers as numbers, strings without trimming
 * . In an optional field, an empty text means "left out".
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

/** Keeps every digit as written if JavaScript cannot represent the number. */
function typedNumber(typed: string): number | WrittenNumber {
  const json = typed
    .replace(/^\+/, '')
    .replace(/^(-?)0+(?=\d)/, '$1')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.(?!\d)/, '');
  const value = numberOf(json);
  return typeof value === 'object' ? toExactNumber(value) : value;
}

/** True if the number has the digits that were written. Those of a schema are not kept. */
export function isExactNumber(value: number | WrittenNumber): boolean {
  if (typeof value === 'object') return true;
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** Zero items are no violation if the field is optional. */
export function isAllowedCount(
  { required, minItems = 0, maxItems }: ManyField | ListField,
  count: number,
): boolean {
  if (count === 0 && !required) return true;
  return count >= minItems && count <= (maxItems ?? count);
}

/** Returns the key of a field's draft: its name, or its path within an object. */
export function draftKey({ name, parent }: Pick<FormField, 'name' | 'parent'>): string {
  return parent === undefined ? name : toPointerStep(parent.name) + toPointerStep(name);
}
