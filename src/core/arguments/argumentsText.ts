import { isContainer, isJsonObject } from '../json/shapes';
import { parseFollowedJson } from '../json/parseJson';
import { stringifyExactly } from '../json/writtenNumber';
import { visibleText } from '../visibleText';
import { isSecretSchema, type Place, secretPlaces } from '../schema/secretPlaces';
import { localTarget } from '../schema/subschemas';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { type Node, parseTree } from 'jsonc-parser';
import { readArgumentsText } from './argumentsJson';

export interface ArgumentsExcerpt {
  /** Compact JSON with all hidden characters made visible. */
  readonly text: string;
  /** The number of characters of the compact JSON that are not in `text`. */
  readonly restChars: number;
  /** The number of lines that are missing. Absent if `text` ends within a line. */
  readonly restLines?: number;
}

/** The space for an excerpt. */
export interface ExcerptRoom {
  readonly lines: number;
  /** Returns the number of screen lines that one line of text takes. */
  readonly linesOf: (line: string) => number;
}

/** Larger texts are not indented, which would take time and memory. */
const maxIndentedChars = 1_000_000;

/** Each level makes every line within it longer. */
const maxIndentedDepth = 200;

/** Includes the indentation. */
const maxLineChars = 56;

/** A line that takes more screen lines is shown in part rather than not at all. */
const maxUncutHeight = 2;

/** More than fits in a dialog. */
const maxExcerptChars = 1_500;

/** Indents compact JSON, unless it is too large or too deep. */
export function indentedJson(json: string): string {
  if (!isReadable(json)) return json;
  return stringifyExactly(parseFollowedJson(json), 2);
}

/** Does the same with short lists and objects on a single line. */
export function compactJson(json: string): string {
  if (!isReadable(json)) return json;
  return compact(parseFollowedJson(json), '', 0);
}

function isReadable(json: string): boolean {
  return json.length <= maxIndentedChars && depthOf(json) <= maxIndentedDepth;
}

function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** @param before The number of characters before the value on its line. */
function compact(value: unknown, indentation: string, before: number): string {
  if (!isContainer(value)) return stringifyExactly(value);
  const short = onOneLine(value, maxLineChars - before);
  if (short !== undefined) return short;
  const inner = `${indentation}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Array.isArray(value)
    ? value.map((each: unknown) => `${inner}${compact(each, inner, inner.length)}`)
    : Object.entries(value).map(([name, each]: [string, unknown]) => {
        const start = `${inner}${JSON.stringify(name)}: `;
        return `${start}${compact(each, inner, start.length)}`;
      });
  return members.length === 0
    ? `${open}${close}`
    : `${open}\n${members.join(',\n')}\n${indentation}${close}`;
}

/** Formats on one line. Returns `undefined` as soon as it takes more than `room` characters. */
function onOneLine(value: unknown, room: number): string | undefined {
  if (room < 1) return undefined;
  if (typeof value === 'string' && value.length > room) return undefined;
  if (!isContainer(value)) return bounded(stringifyExactly(value), room);
  const isList = Array.isArray(value);
  const members: string[] = [];
  let left = room;
  for (const name in value) {
    const start = isList ? '' : `${JSON.stringify(name)}: `;
    const found = Object.getOwnPropertyDescriptor(value, name);
    const member = onOneLine(found?.value, left - start.length);
    if (member === undefined) return undefined;
    members.push(start + member);
    left -= start.length + member.length + 2;
  }
  if (members.length === 0) return isList ? '[]' : '{}';
  const text = isList ? `[${members.join(', ')}]` : `{ ${members.join(', ')} }`;
  return bounded(text, room);
}

function bounded(text: string, room: number): string | undefined {
  return text.length <= room ? text : undefined;
}

/**
 * Returns the beginning of the arguments for a dialog, with nothing hidden: as many whole
 * lines as fit, and the beginning of a long one. The counts of what is missing are exact.
 */
export function argumentsExcerpt(json: string, { lines, linesOf }: ExcerptRoom): ArgumentsExcerpt {
  const whole = compactJson(json);
  let left = lines;
  let end = 0;
  while (end < whole.length && end < maxExcerptChars) {
    const newline = whole.indexOf('\n', end);
    const lineEnd = newline < 0 ? whole.length : newline;
    const line = whole.slice(end, Math.min(lineEnd, end + maxExcerptChars));
    const height = line.length < lineEnd - end ? Infinity : linesOf(shown(line));
    if (height > left) {
      const isLong = height > maxUncutHeight;
      return cut(whole, end, isLong && left > 0 ? fitting(line, left, linesOf) : 0);
    }
    left -= height;
    end = lineEnd + 1;
  }
  return cut(whole, Math.min(end, whole.length), 0);
}

/** Cuts `whole` at `end`, which is the start of a line, plus `chars` characters of that line. */
function cut(whole: string, end: number, chars: number): ArgumentsExcerpt {
  const until = chars === 0 ? Math.max(0, end - 1) : end + chars;
  const isAll = end >= whole.length;
  const text = shown(whole.slice(0, isAll ? whole.length : until));
  if (isAll) return { text, restChars: 0, restLines: 0 };
  const restChars = whole.length - until;
  if (chars > 0) return { text, restChars };
  return { text, restChars, restLines: whole.slice(end).split('\n').length };
}

/**
 * Returns how many characters of the line fit on that many screen lines, never half a character.
 */
function fitting(line: string, lines: number, linesOf: (line: string) => number): number {
  let [least, most] = [0, line.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (linesOf(shown(line.slice(0, middle))) <= lines) least = middle;
    else most = middle - 1;
  }
  const isInsideCharacter = /[\uD800-\uDBFF]$/.test(line.slice(0, least));
  return isInsideCharacter ? least - 1 : least;
}

/** An escape has at most ten characters, so it is never cut here. */
function shown(part: string): string {
  return visibleText(part, part.length * 10, { newlines: 'keep' });
}

/** A schema may contain itself endlessly; deeper levels are left to the user. */
const maxDepth = 5;
/** A schema that contains itself several times would grow exponentially. */
const maxValues = 500;

/** The state of making one skeleton, and how many values it may still add. */
interface Making {
  readonly root: JsonObject;
  valuesLeft: number;
}

/**
 * Makes initial arguments: every required property with its constant, its default, or the empty
 * value of its type. `$schema` is always empty. The result may be invalid, because no value is
 * invented that the user could overlook.
 */
export function toSkeleton(schema: JsonObject): JsonObject {
  const skeleton = objectOf(schema, { root: schema, valuesLeft: maxValues }, 0);
  // An editor's JSON service fetches what a document names there.
  return Object.hasOwn(skeleton, '$schema') ? { ...skeleton, $schema: '' } : skeleton;
}

/** Returns the names of optional properties, in the order of the schema. */
export function optionalNames(schema: JsonObject): readonly string[] {
  const parts = partsOf(schema, schema);
  const required = new Set(requiredNames(parts));
  const names = parts.flatMap(({ properties }) =>
    isJsonObject(properties) ? Object.keys(properties) : [],
  );
  return [...new Set(names)].filter((name) => !required.has(name));
}

function objectOf(schema: JsonObject, making: Making, depth: number): JsonObject {
  const parts = partsOf(schema, making.root);
  const names = requiredNames(parts).slice(0, making.valuesLeft);
  // Reserved before the recursion, so that the required values of outer objects always fit.
  making.valuesLeft -= names.length;
  return Object.fromEntries(
    names.map((name) => {
      const allOf = parts.flatMap(({ properties }): readonly JsonValue[] =>
        isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name] ?? {}] : [],
      );
      return [name, valueOf(allOf.length === 1 ? allOf[0] : { allOf }, making, depth + 1)];
    }),
  );
}

/** Ends circular references. */
const maxParts = 100;

/** Returns the schema with all that `$ref` and `allOf` add for the same value. */
function partsOf(
  schema: JsonObject,
  root: JsonObject,
  seen = new Set<JsonObject>(),
): readonly JsonObject[] {
  if (seen.has(schema) || seen.size >= maxParts) return [];
  seen.add(schema);
  const { $ref: ref, allOf } = schema;
  // A reference to the whole schema would never end.
  const referred = ref === '#' ? undefined : localTarget(ref, root);
  const others = [referred, ...(Array.isArray(allOf) ? allOf : [])].filter(isJsonObject);
  return [schema, ...others.flatMap((other) => partsOf(other, root, seen))];
}

function requiredNames(parts: readonly JsonObject[]): readonly string[] {
  const names = parts.flatMap(({ required }) => (Array.isArray(required) ? required : []));
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

function valueOf(schema: JsonValue | undefined, making: Making, depth: number): JsonValue {
  if (!isJsonObject(schema) || depth > maxDepth) return null;
  const parts = partsOf(schema, making.root);
  const only = parts.find((part) => part['const'] !== undefined)?.['const'];
  if (only !== undefined) return only;
  const byDefault = parts.find((part) => part['default'] !== undefined)?.['default'];
  // A secret is not displayed unless the user asks for it.
  if (byDefault !== undefined && !parts.some(isSecretSchema)) return byDefault;
  const declared = parts.find(({ type }) => type !== undefined)?.['type'];
  const [first, other] =
    parts.flatMap(({ anyOf, oneOf }) => [anyOf, oneOf]).find(Array.isArray) ?? [];
  // Among several constants, or the values of an `enum`, the user chooses.
  const isChoice = other !== undefined && isJsonObject(first) && first['const'] !== undefined;
  if (isChoice) return typeof first['const'] === 'string' ? '' : null;
  if (first !== undefined && declared === undefined) return valueOf(first, making, depth + 1);
  const type: unknown = Array.isArray(declared) ? declared[0] : declared;
  switch (type) {
    case 'string':
      return '';
    case 'number':
    case 'integer':
      return leastNumber(parts, type === 'integer');
    case 'boolean':
      return false;
    case 'array':
      return itemsOf(parts, making, depth);
    case 'object':
      return objectOf(schema, making, depth);
    default: {
      const isObject = parts.some(({ properties }) => isJsonObject(properties));
      return isObject ? objectOf(schema, making, depth) : null;
    }
  }
}

/** Returns 0 if it is allowed, or else the bound that is nearest to it. */
function leastNumber(parts: readonly JsonObject[], isInteger: boolean): number {
  const bound = (name: string): readonly number[] =>
    parts.map((part) => part[name]).filter((value) => typeof value === 'number');
  const step = isInteger ? 1 : 0.1;
  const above = (least: number): number => (isInteger ? Math.floor(least) + 1 : least + step);
  const below = (most: number): number => (isInteger ? Math.ceil(most) - 1 : most - step);
  const least = Math.max(...bound('minimum'), ...bound('exclusiveMinimum').map(above), -Infinity);
  const most = Math.min(...bound('maximum'), ...bound('exclusiveMaximum').map(below), Infinity);
  const number = Math.min(Math.max(0, least), most);
  if (!isInteger) return number;
  return number > 0 ? Math.ceil(number) : Math.floor(number);
}

/** The user adds more items, which look like the first ones. */
const maxItems = 10;

/**
 * Makes as many items as are required. If items have required members, there is at least one,
 * because it shows the names of the members.
 */
function itemsOf(
  parts: readonly JsonObject[],
  making: Making,
  depth: number,
): readonly JsonValue[] {
  const item = parts.find(({ items }) => isJsonObject(items))?.['items'];
  const most = parts.find((part) => typeof part['maxItems'] === 'number')?.['maxItems'];
  const min = parts.find((part) => typeof part['minItems'] === 'number')?.['minItems'];
  const hasMembers =
    isJsonObject(item) && requiredNames(partsOf(item, making.root)).length > 0 && most !== 0;
  const count = Math.max(typeof min === 'number' ? min : 0, hasMembers ? 1 : 0);
  // No value is invented if the schema does not describe it.
  if (!isJsonObject(item) || depth >= maxDepth) return [];
  const values: JsonValue[] = [];
  while (values.length < Math.min(count, maxItems) && making.valuesLeft > 0) {
    making.valuesLeft -= 1;
    values.push(valueOf(item, making, depth + 1));
  }
  return values;
}

/** True if the schema may mark any value as a secret. */
export function mayHaveSecrets(schema: JsonObject): boolean {
  const waiting: JsonValue[] = [schema];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isJsonObject(next) && isSecretSchema(next)) return true;
    if (typeof next !== 'object' || next === null) continue;
    for (const child of Object.values(next)) waiting.push(child);
  }
  return false;
}

/**
 * Replaces each secret in the text of a document by an empty string. Returns `undefined` if the
 * text is malformed, so that the secrets cannot be found.
 */
export function textWithoutSecrets(schema: JsonObject, text: string): string | undefined {
  if (!mayHaveSecrets(schema)) return text;
  const { value } = readArgumentsText(text);
  if (value === undefined) return undefined;
  const secrets = new Set(secretPlaces(schema, value).map((place) => JSON.stringify(place)));
  const pieces: string[] = [];
  let end = 0;
  const empty = (node: Node, place: Place): void => {
    if (secrets.has(JSON.stringify(place))) {
      pieces.push(text.slice(end, node.offset), '""');
      end = node.offset + node.length;
      return;
    }
    node.children?.forEach((child, index) => {
      const [name, member] = child.type === 'property' ? (child.children ?? []) : [];
      if (name === undefined) empty(child, [...place, index]);
      else if (member !== undefined) empty(member, [...place, String(name.value)]);
    });
  };
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root !== undefined) empty(root, []);
  return [...pieces, text.slice(end)].join('');
}

/** Removes all secrets, and list items that are secrets, from the arguments. */
export function withoutSecrets(schema: JsonObject, value: JsonObject): JsonObject {
  if (!mayHaveSecrets(schema)) return value;
  const rest = withSecretsAs(undefined, schema, value).value;
  return isJsonObject(rest) ? rest : {};
}

export interface WithoutSecrets<T> {
  readonly value: T;
  readonly hasSecrets: boolean;
}

/**
 * Copies the value with `marker` in place of each secret. Without a marker, secrets are removed.
 */
export function withSecretsAs<T extends JsonValue | undefined>(
  marker: T,
  schema: unknown,
  value: JsonValue,
): WithoutSecrets<JsonValue | T> {
  const places = secretPlaces(schema, value);
  if (places.length === 0) return { value, hasSecrets: false };
  const secrets = new Set(places.map((place) => JSON.stringify(place)));
  const copy = (from: JsonValue, place: Place): JsonValue | T => {
    if (secrets.has(JSON.stringify(place))) return marker;
    if (!isContainer(from)) return from;
    const children = Object.entries(from).flatMap(([key, child]): [string, JsonValue][] => {
      const kept = copy(child, [...place, Array.isArray(from) ? Number(key) : key]);
      return kept === undefined ? [] : [[key, kept]];
    });
    if (Array.isArray(from)) return children.map(([, child]) => child);
    // Defines own properties, so that `__proto__` is an ordinary one.
    return Object.fromEntries(children);
  };
  return { value: copy(value, []), hasSecrets: true };
}
