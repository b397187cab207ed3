import { isObject } from '../json/shapes';
import type { JsonObject } from '../json/jsonValue';
import { localTarget } from '../schema/subschemas';

/** One argument of a tool, for display. Its texts are untrusted: from the server. */
export interface Parameter {
  readonly name: string;
  /** A short form in JSON Schema's terms: `string`, `array of number`, `"a" | "b"`. */
  readonly type: string;
  readonly isRequired: boolean;
  /** Default value as JSON text. */
  readonly default?: string;
  readonly description?: string;
  /** Bounds of the value in JSON Schema's terms: `minimum 1, maximum 10`. */
  readonly limits?: string;
}

/** Longer lists are not useful. */
const maxParameters = 200;
const maxChoices = 8;
const maxTypeChars = 80;
const maxDepth = 4;
/** Limits the subschemas that one list visits; the types beyond it are `any`. */
const maxVisits = 1_000;
const maxLimitsChars = 300;

/** Keywords that bound a value and are not part of its type. */
const limitKeywords =
  'format minimum exclusiveMinimum maximum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems'.split(
    ' ',
  );

const shownKeywords = [
  ...limitKeywords,
  'type',
  'items',
  'const',
  'enum',
  'anyOf',
  'oneOf',
  'description',
  'default',
];

/**
 * Returns the properties that `schema` names, required ones first, in the schema's order, at most
 * `max` and never more than 200.
 */
export function parametersOf(schema: JsonObject, max = maxParameters): readonly Parameter[] {
  const { properties } = schema;
  if (!isObject(properties)) return [];
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const names = new Set(required.slice(0, maxParameters * 10));
  const all = Object.keys(properties).slice(0, maxParameters * 10);
  const ordered = [
    ...all.filter((name) => names.has(name)),
    ...all.filter((name) => !names.has(name)),
  ];
  const types = new TypeWriter(schema);
  return ordered.slice(0, Math.min(max, maxParameters)).map((name) => {
    const own = resolved(Reflect.get(properties, name), schema);
    const { description, default: standard } = isObject(own) ? own : {};
    return {
      name,
      type: types.typeOf(own, 0).slice(0, maxTypeChars),
      isRequired: names.has(name),
      ...(standard === undefined ? {} : { default: textOf(standard) }),
      ...(typeof description === 'string' ? { description } : {}),
      ...limitsOf(own),
    };
  });
}

function limitsOf(schema: unknown): Pick<Parameter, 'limits'> {
  if (!isObject(schema)) return {};
  const bounds = limitKeywords.flatMap((keyword) => {
    const value = schema[keyword];
    if (value === true) return [keyword];
    return typeof value === 'string' || typeof value === 'number' ? [`${keyword} ${value}`] : [];
  });
  return bounds.length === 0 ? {} : { limits: bounds.join(', ').slice(0, maxLimitsChars) };
}

/** Counts all properties that the schema names, including those that {@link parametersOf} omits. */
export function parameterCount({ properties }: JsonObject): number {
  return isObject(properties) ? Object.keys(properties).length : 0;
}

function resolved(schema: unknown, root: JsonObject): unknown {
  if (!isObject(schema) || schema['$ref'] === undefined) return schema;
  const target = localTarget(schema['$ref'], root);
  if (!isObject(target)) return schema;
  // A target may have any number of other members, and be the target of many references.
  return Object.fromEntries(
    shownKeywords.flatMap((keyword) => {
      // Keywords beside a reference take precedence.
      const holder = [schema, target].find((each) => Object.hasOwn(each, keyword));
      return holder === undefined ? [] : [[keyword, holder[keyword]]];
    }),
  );
}

class TypeWriter {
  readonly #root: JsonObject;
  #visitsLeft = maxVisits;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  typeOf(given: unknown, depth: number): string {
    if (this.#visitsLeft <= 0 || depth > maxDepth) return 'any';
    this.#visitsLeft -= 1;
    const schema = resolved(given, this.#root);
    if (!isObject(schema)) return 'any';
    const { type, items } = schema;
    const choices = 'const' in schema ? [schema['const']] : schema['enum'];
    if (Array.isArray(choices)) {
      return oneOf(choices.slice(0, maxChoices + 1).map(textOf));
    }
    if (type === 'array' && items !== undefined) return `array of ${this.typeOf(items, depth + 1)}`;
    if (typeof type === 'string') return type;
    if (Array.isArray(type)) return oneOf(type.filter((each) => typeof each === 'string'));
    const branches = schema['anyOf'] ?? schema['oneOf'];
    if (!Array.isArray(branches)) return 'any';
    return oneOf(branches.slice(0, maxChoices + 1).map((each) => this.typeOf(each, depth + 1)));
  }
}

/** Returns `…` for a value that is nested too deeply. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '…';
  }
}

function oneOf(types: readonly string[]): string {
  const shown = [...new Set(types)].slice(0, maxChoices);
  return [...shown, ...(types.length > maxChoices ? ['…'] : [])].join(' | ');
}
