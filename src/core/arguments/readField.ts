import { isSecretSchema } from '../schema/secretPlaces';
import { isJsonObject, isSameJson } from '../json/shapes';
import {
  toFieldText,
  type FieldLimits,
  type FormField,
  type Scalar,
  type TextField,
  isExactNumber,
} from './inputField';
import type { JsonObject, JsonValue } from '../json/jsonValue';

type Base = Pick<TextField, 'name' | 'label' | 'prompt' | 'required' | 'schema' | 'isSecret'>;

const composingKeywords = '$ref $dynamicRef $recursiveRef allOf anyOf oneOf not if'.split(' ');

/** Constraints that cannot be checked while a list is entered. */
const arrayKeywords =
  'prefixItems additionalItems unevaluatedItems contains minContains maxContains'.split(' ');

/**
 * Converts the property to one field. Returns `undefined` if neither one line, one list of choices
 * nor one list of lines can express what the schema allows. A union with `null` counts as simple.
 */
export function readField(
  name: string,
  schema: JsonValue,
  required: boolean,
): FormField | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { simple, isNullable } = withoutNull(schema);
  const choices = readChoices(simple);
  if (choices === 'unfit') return undefined;
  const { rest } = choices ?? { rest: simple };
  if (composingKeywords.some((key) => Object.hasOwn(rest, key))) return undefined;
  const isSecret = isSecretSchema(schema) || isSecretSchema(simple);
  const base = sharedMembers(name, schema, required, isSecret);
  if (choices !== undefined) return toChoiceField(base, choices, isNullable);
  // A text field cannot express null, because "null" is a string; a required null needs a document.
  const isNullNeeded = isNullable && required;
  if (simple['type'] === 'array') return isNullNeeded ? undefined : toArrayField(base, simple);
  const field = toTextField(base, simple, isNullable);
  return field === undefined ? undefined : withDefault(field);
}

/** Returns the members that all fields share. */
export function sharedMembers(
  name: string,
  schema: JsonObject,
  required: boolean,
  isSecret = false,
): Base {
  const { title, description } = schema;
  return {
    name,
    label: typeof title === 'string' && title.trim() !== '' ? title : name,
    ...(typeof description === 'string' ? { prompt: description } : {}),
    required,
    schema,
    ...(isSecret ? { isSecret } : {}),
  };
}

/** Removes `null` from `type: [x, "null"]` and from `anyOf: [x, {type: "null"}]`. */
export function withoutNull(schema: JsonObject): {
  readonly simple: JsonObject;
  readonly isNullable: boolean;
} {
  const { anyOf, oneOf, ...rest } = schema;
  const union = anyOf ?? oneOf;
  if (Array.isArray(union) && union.length === 2 && (anyOf === undefined || oneOf === undefined)) {
    const [simple, ...others] = union.filter((one) => !isNullSchema(one));
    if (others.length === 0 && isJsonObject(simple)) {
      return { simple: { ...rest, ...simple }, isNullable: true };
    }
  }
  const { type } = schema;
  // If the values are listed, the list decides whether null is allowed.
  const isListed = Object.hasOwn(schema, 'enum') || Object.hasOwn(schema, 'const');
  if (!Array.isArray(type) || isListed) return { simple: schema, isNullable: false };
  const types = type.filter((one) => one !== 'null');
  if (types.length !== 1 || types[0] === undefined) return { simple: schema, isNullable: false };
  return { simple: { ...schema, type: types[0] }, isNullable: types.length < type.length };
}

function isNullSchema(schema: JsonValue): boolean {
  return isJsonObject(schema) && schema['type'] === 'null';
}

function toChoiceField(
  base: Base,
  { choices, titles }: Choices,
  isNullable: boolean,
): FormField | undefined {
  const all = isNullable && !choices.includes(null) ? [...choices, null] : choices;
  const byDefault = base.schema['default'];
  const preset = base.isSecret === true ? undefined : all.find((choice) => choice === byDefault);
  return {
    ...base,
    kind: 'choice',
    choices: all,
    ...(titles === undefined ? {} : { titles }),
    ...(preset === undefined ? {} : { default: preset }),
  };
}

function toArrayField(base: Base, schema: JsonObject): FormField | undefined {
  if (arrayKeywords.some((key) => Object.hasOwn(schema, key))) return undefined;
  if (Object.hasOwn(schema, 'enum') || Object.hasOwn(schema, 'const')) return undefined;
  const item = readField(base.name, schema['items'] ?? true, true);
  if (item === undefined || item.kind === 'many' || item.kind === 'list') return undefined;
  const counts = countsOf(schema);
  const byDefault = base.schema['default'];
  if (item.kind === 'choice') {
    const choices = item.choices.filter((choice) => typeof choice === 'string');
    // Each choice can be picked once.
    if (choices.length < item.choices.length || (counts.minItems ?? 0) > choices.length) {
      return undefined;
    }
    const { titles } = item;
    const preset = Array.isArray(byDefault) && byDefault.every((one) => item.choices.includes(one));
    const defaults = preset ? choices.filter((choice) => byDefault.includes(choice)) : undefined;
    if (defaults !== undefined && !isSameJson(defaults, byDefault)) {
      return undefined;
    }
    return {
      ...base,
      kind: 'many',
      choices,
      ...(titles === undefined ? {} : { titles }),
      ...(defaults === undefined || base.isSecret === true ? {} : { defaults }),
      ...counts,
    };
  }
  // The lines that were already entered could not be masked.
  if (base.isSecret === true || item.isSecret === true) return undefined;
  const preset: readonly unknown[] = Array.isArray(byDefault) ? byDefault : [];
  const defaults = preset.flatMap((one) => toFieldText(item, one) || []);
  if (defaults.length === 0 && preset.length === 0)
    return { ...base, kind: 'list', item, ...counts };
  if (defaults.length === preset.length)
    return { ...base, kind: 'list', item, defaults, ...counts };
  // Strings that a line cannot show unchanged. Other types are the server's mistake.
  const isHidden = item.kind === 'string' && preset.every((one) => typeof one === 'string');
  return isHidden ? undefined : { ...base, kind: 'list', item, ...counts };
}

function countsOf({ minItems, maxItems }: JsonObject) {
  return {
    ...(typeof minItems === 'number' ? { minItems } : {}),
    ...(typeof maxItems === 'number' ? { maxItems } : {}),
  };
}

function toTextField(base: Base, schema: JsonObject, isNullable: boolean): TextField | undefined {
  const { type } = schema;
  if (Object.hasOwn(schema, 'const') || Object.hasOwn(schema, 'enum')) return undefined;
  if (type !== 'string' && type !== 'number' && type !== 'integer') return undefined;
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
  const isSaid = typeof format === 'string' && format !== 'password';
  return { ...Object.fromEntries(numbers), ...(isSaid ? { format } : {}) };
}

/**
 * Adds the default if it can be entered. Omits a default of the wrong type, which is the server's
 * mistake, and that of a secret. Returns `undefined` if a single line would change or hide it.
 */
function withDefault(field: TextField): TextField | undefined {
  const value = field.schema['default'];
  if (value === undefined || !isScalar(value) || field.isSecret === true) return field;
  if (field.kind === 'string') {
    if (typeof value !== 'string' || value === '') return field;
    return toFieldText(field, value) === undefined ? undefined : { ...field, default: value };
  }
  return toFieldText(field, value) === undefined ? field : { ...field, default: value };
}

function isScalar(value: JsonValue): value is Scalar {
  return typeof value !== 'object' || value === null;
}

interface Choices {
  readonly choices: readonly Scalar[];
  /** Has an item for each choice, empty if the choice has no title. Untrusted. */
  readonly titles?: readonly string[];
  /** The schema without the keyword that lists the choices. */
  readonly rest: JsonObject;
}

/** Longer lists are not useful in a picker. */
const maxChoices = 1_000;

/**
 * Returns the values that a schema lists, in any of four forms: `const`, `enum` (with `enumNames`),
 * a union of constants, or a type with few values. Returns `undefined` if it lists none, and
 * `unfit` for lists that cannot be picked from: empty ones, objects, and numbers that JavaScript
 * cannot represent.
 */
function readChoices(schema: JsonObject): Choices | 'unfit' | undefined {
  const { anyOf, oneOf, ...rest } = schema;
  const union = toTitled(anyOf === undefined ? oneOf : oneOf === undefined ? anyOf : undefined);
  if (union !== undefined) return toChoices(union, rest, 'once');
  const { const: only, enum: listed, enumNames, type } = schema;
  if (Object.hasOwn(schema, 'const') && Object.hasOwn(schema, 'enum')) return 'unfit';
  if (only !== undefined) return toChoices([{ value: only }], schema);
  if (listed !== undefined) {
    if (!Array.isArray(listed)) return 'unfit';
    const names = Array.isArray(enumNames) && enumNames.length === listed.length ? enumNames : [];
    return toChoices(
      listed.map((value, index) => ({ value, title: names[index] })),
      schema,
    );
  }
  if (type === 'boolean') return { choices: [true, false], rest: schema };
  return type === 'null' ? { choices: [null], rest: schema } : undefined;
}

interface Titled {
  readonly value: JsonValue;
  readonly title?: JsonValue | undefined;
}

const annotations = new Set('const title description type deprecated $comment'.split(' '));

/** Returns the alternatives if all of them are constants with annotations only. */
function toTitled(union: JsonValue | undefined): readonly Titled[] | undefined {
  if (!Array.isArray(union) || union.length === 0) return undefined;
  const titled = union.flatMap((one): Titled[] => {
    if (!isJsonObject(one) || Object.keys(one).some((key) => !annotations.has(key))) return [];
    const { const: value, title, type } = one;
    if (value === undefined) return type === 'null' ? [{ value: null, title }] : [];
    return hasType(value, type) ? [{ value, title }] : [];
  });
  return titled.length === union.length ? titled : undefined;
}

function toChoices(
  listed: readonly Titled[],
  rest: JsonObject,
  allowed: 'once' | 'repeatedly' = 'repeatedly',
): Choices | 'unfit' {
  const isListedTwice =
    allowed === 'once' && (Object.hasOwn(rest, 'enum') || Object.hasOwn(rest, 'const'));
  if (listed.length > maxChoices || isListedTwice) return 'unfit';
  const fitting = new Map<Scalar, string>();
  for (const { value, title } of listed) {
    if (!isPickable(value)) return 'unfit';
    if (!hasType(value, rest['type'])) continue;
    // A value that occurs twice in `oneOf` satisfies two alternatives, so it is invalid.
    if (fitting.has(value) && allowed === 'once') return 'unfit';
    fitting.set(value, typeof title === 'string' ? title : '');
  }
  if (fitting.size === 0) return 'unfit';
  const titles = [...fitting.values()];
  const choices = [...fitting.keys()];
  return titles.some((title) => title !== '') ? { choices, titles, rest } : { choices, rest };
}

function isPickable(value: JsonValue): value is Scalar {
  if (typeof value === 'number') return isExactNumber(value);
  return typeof value !== 'object' || value === null;
}

/**
 * True if `type` allows the value. Without a type all values are allowed; an unknown type allows
 * none.
 */
function hasType(value: JsonValue, type: JsonValue | undefined): boolean {
  if (type === undefined) return true;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const own = value === null ? 'null' : typeof value;
  return types.includes(own) || (Number.isInteger(value) && types.includes('integer'));
}
