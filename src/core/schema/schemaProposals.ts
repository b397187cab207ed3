import type { JsonObject, JsonValue } from '../json/jsonValue';
import { hasHiddenCharacters, visibleText, breakLinks } from '../visibleText';

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
