import type { JsonObject, JsonValue } from '../json/jsonValue';
import { hasHiddenCharacters, visibleText, breakLinks } from '../visibleText';
import { isObject, type UnknownObject } from '../json/shapes';
import { fromPointerStep } from '../json/jsonPointer';

const maxProposals = 500;
const maxProposalChars = 500;
const maxTitleChars = 100;

/**
 * Proposes values without refusing any: constants and enumerated values become `examples`. If there
 * are none, it proposes how a value of the type begins.
 */
export function proposalsOf(schema: JsonObject): JsonObject {
  const { const: only, enum: listed, default: byDefault, examples } = schema;
  const values = only === undefined ? listed : [only];
  const preset = byDefault !== undefined && isProposable(byDefault) ? { default: byDefault } : {};
  if (Array.isArray(values)) {
    const titled = titledOf(values, schema);
    const others = values.filter((value) => !titled.some(({ body }) => body === value));
    return {
      ...examplesOf(others),
      ...(titled.length === 0 ? {} : { defaultSnippets: titled }),
      ...preset,
      ...lineBegin,
    };
  }
  const types = typesOf(schema);
  const constants = types.flatMap((type): readonly JsonValue[] => {
    if (type === 'boolean') return [true, false];
    return type === 'null' ? [null] : [];
  });
  const given = Array.isArray(examples) ? examples : [];
  const proposed = examplesOf([...constants, ...given]);
  const snippets = types.flatMap((type) => snippetsOf(type, schema));
  const hasValue = 'examples' in proposed || 'default' in preset;
  return {
    ...proposed,
    ...preset,
    ...(hasValue || snippets.length === 0 ? {} : { defaultSnippets: snippets }),
    ...lineBegin,
  };
}

/** Matches everything. It makes the language service insert the colon after a name. */
const lineBegin: JsonObject = { oneOf: [{}] };

function examplesOf(values: readonly JsonValue[]): JsonObject {
  const examples = values.filter(isProposable).slice(0, maxProposals);
  return examples.length === 0 ? {} : { examples };
}

interface TitledValue {
  readonly [member: string]: JsonValue;
  readonly body: JsonValue;
}

/**
 * Pairs the values with their labels: the `title` of a constant, or the non-standard `enumNames`
 * beside `enum`. Examples cannot have labels.
 */
function titledOf(values: readonly JsonValue[], schema: JsonObject): readonly TitledValue[] {
  const { const: only, title, enumNames } = schema;
  const titles = only === undefined ? enumNames : [title];
  if (!Array.isArray(titles)) return [];
  return values.slice(0, maxProposals).flatMap((value, index): readonly TitledValue[] => {
    const words: unknown = titles[index];
    if (typeof words !== 'string' || words === value) return [];
    if (!isProposable(value) || !isSnippet(value)) return [];
    const description = breakLinks(visibleText(words, maxTitleChars));
    return [{ label: JSON.stringify(value), description, body: value }];
  });
}

/** True if the value contains no snippet syntax (variables and placeholders). */
function isSnippet(value: JsonValue): boolean {
  return typeof value === 'string' ? !/^\^|[$\\}]/.test(value) : typeof value !== 'object';
}

/** Hidden characters, and values too long for a list of proposals, are not proposed. */
function isProposable(value: JsonValue): boolean {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= maxProposalChars && !hasHiddenCharacters(text, maxProposalChars);
}

function typesOf({ type }: JsonObject): readonly JsonValue[] {
  if (Array.isArray(type)) return type;
  return type === undefined ? [] : [type];
}

/** A `^` at the beginning marks a snippet instead of JSON text. */
function snippetsOf(type: unknown, { properties, items }: JsonObject): readonly JsonObject[] {
  switch (type) {
    case 'string':
      return [{ label: '""', body: '$1' }];
    case 'number':
    case 'integer':
      return [{ label: '0', body: '^${1:0}' }];
    case 'object':
      // The language service has its own proposals for values with known members.
      return properties === undefined ? [{ label: '{}', body: {} }] : [];
    case 'array':
      return items === undefined ? [{ label: '[]', body: [] }] : [];
    default:
      return [];
  }
}

/** Returns all subschemas that may apply to a member, without deciding which of them do. */
export function memberSchemas(schemas: readonly UnknownObject[], key: string): readonly unknown[] {
  return schemas.flatMap((schema) => {
    const { properties } = schema;
    const own = isObject(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [];
    return [
      ...own,
      ...objectValues(schema['patternProperties']),
      // These apply only to properties that are not listed.
      ...(own.length > 0 ? [] : [schema['additionalProperties'], schema['unevaluatedProperties']]),
    ];
  });
}

/** Returns all subschemas that may apply to an item, without deciding which of them do. */
export function itemSchemas(schemas: readonly UnknownObject[], index: number): readonly unknown[] {
  return schemas.flatMap((schema) => {
    const { items, prefixItems } = schema;
    return [
      arrayItems(prefixItems)[index],
      // Older drafts have a list here for the first items, and another keyword for the rest.
      ...(Array.isArray(items) ? [items[index]] : [items]),
      schema['additionalItems'],
      schema['unevaluatedItems'],
      schema['contains'],
    ];
  });
}

/** The items of a list, or none for any other value. */
export function arrayItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The values of an object, or none for any other value. */
export function objectValues(value: unknown): readonly unknown[] {
  return isObject(value) ? Object.values(value) : [];
}

/**
 * Returns what a `$ref` of the form `#` or `#/…` points to inside `root`, and `undefined` for any
 * other reference. Nothing outside the schema is ever read.
 */
export function localTarget(ref: unknown, root: object): unknown {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  let target: unknown = root;
  for (const token of ref.slice(2).split('/')) {
    const name = fromPointerStep(decoded(token));
    if (typeof target !== 'object' || target === null) return undefined;
    if (!Object.hasOwn(target, name)) return undefined;
    target = isObject(target) || Array.isArray(target) ? Reflect.get(target, name) : undefined;
  }
  return target;
}

/** A reference is percent-encoded; a malformed one is used as it is. */
function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
