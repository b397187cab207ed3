import type { JsonObject, JsonValue } from '../types';
import { hasHiddenCharacters } from '../visibleText';

/** What JSON Schema calls neither object nor array. */
export type Scalar = string | number | boolean | null;

interface FieldBase {
  /** The property, exactly as in the schema. */
  readonly name: string;
  /** Title of the schema, else the name; from the server, untrusted. */
  readonly label: string;
  /** Description of the schema; untrusted. */
  readonly prompt?: string;
  readonly required: boolean;
  /** Only if it is a value that could be entered here. */
  readonly default?: Scalar;
  /** The property's own schema, for validating what was entered. */
  readonly schema: JsonObject;
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
  /** What the person reads instead, one for each choice; untrusted. */
  readonly titles?: readonly string[];
}

export type Field = TextField | ChoiceField;

/** Several texts that are picked from a list. */
export interface ManyField extends Omit<FieldBase, 'default'> {
  readonly kind: 'many';
  readonly choices: readonly string[];
  /** What the person reads instead, one for each choice; untrusted. */
  readonly titles?: readonly string[];
  readonly defaults?: readonly string[];
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Whatever one step can ask for. */
export type FormField = Field | ManyField;

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

const composingKeywords = '$ref $dynamicRef $recursiveRef allOf anyOf oneOf not if'.split(' ');

/**
 * The property as one field, or `undefined` where one line or one list of choices cannot express
 * every value that the schema allows. A union with `null` counts as simple.
 */
export function readField(name: string, schema: JsonValue, required: boolean): Field | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { simple, isNullable } = withoutNull(schema);
  if (composingKeywords.some((key) => Object.hasOwn(simple, key))) return undefined;
  const { title, description } = schema;
  const base = {
    name,
    label: typeof title === 'string' && title.trim() !== '' ? title : name,
    ...(typeof description === 'string' ? { prompt: description } : {}),
    required,
    schema,
  };
  const choices = choicesOf(simple, isNullable);
  const field =
    choices === undefined
      ? toTextField(base, simple, isNullable)
      : ({ ...base, kind: 'choice', choices } as const);
  return field === undefined ? undefined : withDefault(field, schema['default']);
}

/** Takes `null` out of `type: [x, "null"]` and out of `anyOf: [x, {type: "null"}]`. */
function withoutNull(schema: JsonObject): { simple: JsonObject; isNullable: boolean } {
  const { anyOf, oneOf, ...rest } = schema;
  const union = anyOf ?? oneOf;
  if (Array.isArray(union) && union.length === 2 && (anyOf === undefined || oneOf === undefined)) {
    const [simple, ...others] = union.filter((one) => !isNullSchema(one));
    if (others.length === 0 && isJsonObject(simple)) {
      return { simple: { ...rest, ...simple }, isNullable: true };
    }
  }
  const { type } = schema;
  if (!Array.isArray(type)) return { simple: schema, isNullable: false };
  const types = type.filter((one) => one !== 'null');
  if (types.length !== 1 || types[0] === undefined) return { simple: schema, isNullable: false };
  return { simple: { ...schema, type: types[0] }, isNullable: types.length < type.length };
}

function isNullSchema(schema: JsonValue): boolean {
  return isJsonObject(schema) && schema['type'] === 'null';
}

function choicesOf(schema: JsonObject, isNullable: boolean): readonly Scalar[] | undefined {
  const choices = scalarsOf(schema);
  return choices === undefined || !isNullable || choices.includes(null)
    ? choices
    : [...choices, null];
}

function scalarsOf(schema: JsonObject): readonly Scalar[] | undefined {
  if (Object.hasOwn(schema, 'const')) {
    const only = schema['const'];
    return only !== undefined && isScalar(only) ? [only] : undefined;
  }
  const listed = schema['enum'];
  if (Array.isArray(listed)) {
    const scalars = listed.filter(isScalar);
    return scalars.length > 0 && scalars.length === listed.length ? scalars : undefined;
  }
  if (schema['type'] === 'boolean') return [true, false];
  return schema['type'] === 'null' ? [null] : undefined;
}

function toTextField(
  base: FieldBase,
  schema: JsonObject,
  isNullable: boolean,
): TextField | undefined {
  const { type } = schema;
  if (Object.hasOwn(schema, 'const') || Object.hasOwn(schema, 'enum')) return undefined;
  if (type !== 'string' && type !== 'number' && type !== 'integer') return undefined;
  // A text "null" is a text; where null cannot be left out instead, it needs a document.
  if (type === 'string' && isNullable && base.required) return undefined;
  return {
    ...base,
    kind: type,
    isNullable: isNullable && type !== 'string',
    limits: limitsOf(schema),
  };
}

const numericLimits = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
] as const;

function limitsOf(schema: JsonObject): FieldLimits {
  const numbers = numericLimits.flatMap((key) => {
    const limit = schema[key];
    return typeof limit === 'number' ? [[key, limit] as const] : [];
  });
  const { format } = schema;
  return { ...Object.fromEntries(numbers), ...(typeof format === 'string' ? { format } : {}) };
}

/**
 * The field with its default, where that can be entered; a default of another type is the server's
 * mistake and left out. `undefined` for one that a single line would change or hide.
 */
function withDefault(field: Field, value: JsonValue | undefined): Field | undefined {
  if (value === undefined || !isScalar(value)) return field;
  if (field.kind === 'choice') {
    return field.choices.includes(value) ? { ...field, default: value } : field;
  }
  if (field.kind === 'string') {
    if (typeof value !== 'string' || value === '') return field;
    return toFieldText(field, value) === undefined ? undefined : { ...field, default: value };
  }
  const isFitting = typeof value === 'number' || (value === null && field.isNullable);
  return isFitting ? { ...field, default: value } : field;
}

/**
 * How `value` is typed into the field, or `undefined` where the line would not be that value:
 * several lines, hidden characters, another type, an empty text that would mean "left out".
 */
export function toFieldText(field: TextField, value: unknown): string | undefined {
  if (field.kind !== 'string') {
    if (value === null && field.isNullable) return 'null';
    return typeof value === 'number' ? String(value) : undefined;
  }
  if (typeof value !== 'string' || value.length > maxLineChars) return undefined;
  if (value === '' && !field.required) return undefined;
  const isOneLine = !/[\t\n\r]/.test(value) && !hasHiddenCharacters(value, maxLineChars);
  return isOneLine ? value : undefined;
}

export type FieldTextError = 'empty' | 'notANumber' | 'notAnInteger' | 'notExact';

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
  const value = Number(typed);
  if (!Number.isFinite(value)) return { kind: 'error', code: 'notExact' };
  // Beyond this, digits that were typed would be replaced by others on the way.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return { kind: 'error', code: 'notExact' };
  }
  if (field.kind === 'integer' && !Number.isInteger(value)) {
    return { kind: 'error', code: 'notAnInteger' };
  }
  return { kind: 'value', value };
}

function isScalar(value: JsonValue): value is Scalar {
  return typeof value !== 'object' || value === null;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
