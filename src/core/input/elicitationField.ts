import type { JsonObject, JsonValue } from '../json/jsonValue';
import { finiteNumberOrAbsent, isJsonValue, isObject, stringOrAbsent } from '../json/shapes';
import type { UnknownObject, Mutable } from '../json/shapes';
import { localTarget } from '../schema/subschemas';

/** Longer lists are not useful in a picker. */
const maxOptions = 1_000;

export type ElicitationField = ElicitationFieldBase &
  (StringKind | NumberKind | BooleanKind | ChoiceKind | ChoicesKind | TextsKind | JsonKind);

/** All text is untrusted: from the server. */
interface ElicitationFieldBase {
  /** The property, exactly as in the schema. */
  readonly name: string;
  /** Title of the schema, or else the name. */
  readonly label: string;
  readonly description?: string;
  readonly required: boolean;
}

interface StringKind {
  readonly kind: 'string';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** `email`, `uri`, `date` or `date-time`; the schema checks other formats. */
  readonly format?: string;
  readonly default?: string;
}

interface NumberKind {
  readonly kind: 'number' | 'integer';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

interface BooleanKind {
  readonly kind: 'boolean';
  readonly default?: boolean;
}

/** The value to send and its label. */
export interface ElicitationOption {
  readonly value: string;
  readonly title: string;
}

interface ChoiceKind {
  readonly kind: 'choice';
  readonly options: readonly ElicitationOption[];
  readonly default?: string;
}

interface ChoicesKind {
  readonly kind: 'choices';
  readonly options: readonly ElicitationOption[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: readonly string[];
}

/** Any number of strings. */
interface TextsKind {
  readonly kind: 'texts';
  readonly item: StringKind;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: readonly string[];
}

/** A value to enter as JSON, because no field can show it. */
interface JsonKind {
  readonly kind: 'json';
  /** Why no field can show it. */
  readonly reason: string;
  readonly default?: JsonValue;
}

const annotations = '$comment type title description default examples deprecated';
const known = {
  string: keywords('minLength maxLength pattern format'),
  number: keywords('minimum maximum exclusiveMinimum exclusiveMaximum multipleOf format'),
  boolean: keywords(''),
  choice: keywords('enum enumNames oneOf'),
  choices: keywords('items minItems maxItems uniqueItems'),
  texts: keywords('items minItems maxItems uniqueItems'),
};

function keywords(own: string): ReadonlySet<string> {
  return new Set(`${annotations} ${own}`.split(' '));
}

/**
 * Converts a property of a requested schema to a field, or says why that is not possible. The
 * specification allows strings, numbers, integers, booleans, and one or several of a list in five
 * forms. Servers also ask for nullable values, where null is left out, and for
 * lists of strings. Everything else is asked for as JSON. An invalid default is left out.
 */
export function parseElicitationField(
  name: string,
  given: unknown,
  required: boolean,
  root: JsonObject = {},
): ElicitationField | string {
  if (!isObject(given)) return 'not a schema';
  const schema = resolved(given, root);
  const kind = shownKind(schema);
  const title = stringOrAbsent(schema.title) ?? '';
  const description = stringOrAbsent(schema.description);
  return {
    name,
    label: title.trim() === '' ? name : title,
    ...(description === undefined ? {} : { description }),
    required,
    ...kind,
  };
}

type Kind = StringKind | NumberKind | BooleanKind | ChoiceKind | ChoicesKind | TextsKind;

function shownKind(schema: UnknownObject): Kind | JsonKind {
  const kind = parseKind(schema);
  const reason = typeof kind === 'string' ? kind : oddKeyword(kind, schema);
  if (typeof kind !== 'string' && reason === undefined) return kind;
  const byDefault = isJsonValue(schema.default) ? { default: schema.default } : {};
  return { kind: 'json', reason: reason ?? '', ...byDefault };
}

function oddKeyword({ kind }: Kind, schema: UnknownObject): string | undefined {
  const allowed = kind === 'integer' ? known.number : known[kind];
  const odd = Object.keys(schema).find((key) => !allowed.has(key));
  return odd === undefined ? undefined : `the keyword ${odd.slice(0, 100)} has no place there`;
}

/** Resolves references and removes `null`. */
function resolved(given: UnknownObject, root: JsonObject): UnknownObject {
  const schema = withTarget(withoutNull(withTarget(given, root)), root);
  const { items } = schema;
  return isObject(items) ? { ...schema, items: withTarget(items, root) } : schema;
}

/** Replaces a local reference by its target. */
function withTarget(schema: UnknownObject, root: JsonObject): UnknownObject {
  const { $ref: reference, ...rest } = schema;
  const target = localTarget(reference, root);
  return isObject(target) ? { ...target, ...rest } : schema;
}

/** Removes `null` from a nullable schema. */
function withoutNull(schema: UnknownObject): UnknownObject {
  const { type, anyOf, oneOf, ...rest } = schema;
  if (Array.isArray(type)) {
    const others = type.filter((each) => each !== 'null');
    return others.length === 1 ? { ...schema, type: others[0] } : schema;
  }
  const alternatives: unknown = anyOf ?? oneOf;
  if (type !== undefined || !Array.isArray(alternatives)) return schema;
  const [only, ...more] = alternatives.filter((each) => !isObject(each) || each.type !== 'null');
  const isOptional = more.length === 0 && alternatives.length === 2 && isObject(only);
  return isOptional ? { ...only, ...rest } : schema;
}

function parseKind(schema: UnknownObject): Kind | string {
  if (schema.type === 'array') return parseChoices(schema);
  if (schema.enum !== undefined || schema.oneOf !== undefined) return parseChoice(schema);
  switch (schema.type) {
    case 'string':
      return parseString(schema);
    case 'number':
    case 'integer':
      return parseNumber(schema, schema.type);
    case 'boolean':
      return typeof schema.default === 'boolean'
        ? { kind: 'boolean', default: schema.default }
        : { kind: 'boolean' };
    default:
      return 'not a string, number, boolean or list of choices';
  }
}

function parseString(schema: UnknownObject): StringKind {
  const field: Mutable<StringKind> = { kind: 'string' };
  const minLength = finiteNumberOrAbsent(schema.minLength);
  if (minLength !== undefined) field.minLength = minLength;
  const maxLength = finiteNumberOrAbsent(schema.maxLength);
  if (maxLength !== undefined) field.maxLength = maxLength;
  const pattern = stringOrAbsent(schema.pattern);
  if (pattern !== undefined) field.pattern = pattern;
  const format = stringOrAbsent(schema.format);
  if (format !== undefined) field.format = format;
  if (typeof schema.default === 'string') field.default = schema.default;
  return field;
}

function parseNumber(schema: UnknownObject, kind: 'number' | 'integer'): NumberKind {
  const field: Mutable<NumberKind> = { kind };
  const minimum = finiteNumberOrAbsent(schema.minimum);
  if (minimum !== undefined) field.minimum = minimum;
  const maximum = finiteNumberOrAbsent(schema.maximum);
  if (maximum !== undefined) field.maximum = maximum;
  const preset = finiteNumberOrAbsent(schema.default);
  const fits = kind === 'number' || Number.isInteger(preset);
  if (preset !== undefined && fits) field.default = preset;
  return field;
}

function parseChoice(schema: UnknownObject): ChoiceKind | string {
  if (schema.type !== undefined && schema.type !== 'string') return 'choices are not strings';
  const options =
    schema.enum === undefined
      ? parseTitled(schema.oneOf)
      : parseValues(schema.enum, schema.enumNames);
  if (typeof options === 'string') return options;
  const preset = options.find(({ value }) => value === schema.default)?.value;
  return { kind: 'choice', options, ...(preset === undefined ? {} : { default: preset }) };
}

function parseChoices(schema: UnknownObject): ChoicesKind | TextsKind | string {
  const { items, default: preset } = schema;
  if (!isObject(items)) return 'items are not a list of choices';
  if (items.type === 'string' && items.enum === undefined) return parseTexts(schema, items);
  const options =
    items.enum === undefined ? parseTitled(items.anyOf ?? items.oneOf) : parseValues(items.enum);
  if (typeof options === 'string') return options;
  const field: Mutable<ChoicesKind> = { kind: 'choices', options };
  const minItems = finiteNumberOrAbsent(schema.minItems);
  if (minItems !== undefined) field.minItems = minItems;
  const maxItems = finiteNumberOrAbsent(schema.maxItems);
  if (maxItems !== undefined) field.maxItems = maxItems;
  if (Array.isArray(preset)) {
    field.default = options.map(({ value }) => value).filter((value) => preset.includes(value));
  }
  return field;
}

function parseTexts(schema: UnknownObject, items: UnknownObject): TextsKind | string {
  const item = parseString(items);
  const odd = oddKeyword(item, items);
  if (odd !== undefined) return odd;
  const { default: preset } = schema;
  const minItems = finiteNumberOrAbsent(schema.minItems);
  const maxItems = finiteNumberOrAbsent(schema.maxItems);
  const isList = Array.isArray(preset) && preset.every((each) => typeof each === 'string');
  return {
    kind: 'texts',
    item,
    ...(minItems === undefined ? {} : { minItems }),
    ...(maxItems === undefined ? {} : { maxItems }),
    ...(isList ? { default: preset } : {}),
  };
}

function parseValues(values: unknown, names?: unknown): readonly ElicitationOption[] | string {
  if (!Array.isArray(values)) return 'enum is not an array';
  const titles: readonly unknown[] = Array.isArray(names) ? names : [];
  return toOptions(
    values.map((value: unknown, index) => ({ value, title: titles[index] ?? value })),
  );
}

function parseTitled(items: unknown): readonly ElicitationOption[] | string {
  if (!Array.isArray(items)) return 'the choices are not an array';
  return toOptions(
    items.map((item: unknown) =>
      isObject(item)
        ? { value: item.const, title: item.title ?? item.const }
        : { value: undefined },
    ),
  );
}

function toOptions(
  items: readonly { readonly value: unknown; readonly title?: unknown }[],
): readonly ElicitationOption[] | string {
  if (items.length === 0) return 'there is nothing to choose';
  if (items.length > maxOptions) return `more than ${maxOptions} choices`;
  const options: ElicitationOption[] = [];
  for (const { value, title } of items) {
    if (typeof value !== 'string') return 'a choice is not a string';
    options.push({ value, title: typeof title === 'string' ? title : value });
  }
  return options;
}
