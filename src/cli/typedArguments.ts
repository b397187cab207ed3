import { readArgumentsText } from '../core/arguments/argumentsJson';
import { parseFieldText } from '../core/arguments/inputField';
import { withoutNull } from '../core/arguments/readField';
import type { JsonObject, JsonValue } from '../core/json/jsonValue';
import { isJsonObject } from '../core/json/shapes';
import { localTarget } from '../core/schema/subschemas';
import { inLine } from './errorMessage';
import { UsageError } from './exitCodes';
import { didYouMean } from '../core/nearestName';

/** A call as the user wrote it: `server tool`, `server.tool`, each with `(name: value, …)`. */
export interface WrittenCall {
  readonly server: string;
  readonly tool: string;
  /** The JSON of the arguments in parentheses. */
  readonly json?: string;
  /** Arguments in parentheses without names, in the order of the schema. */
  readonly values?: readonly JsonValue[];
  /** The words after the tool. */
  readonly typed: readonly string[];
}

/** @throws {UsageError} */
export function readWrittenCall(
  operands: readonly string[],
  servers: readonly string[],
): WrittenCall {
  const [server, written, ...typed] = splitServer(operands, servers);
  if (server === undefined || written === undefined || written === '') {
    throw new UsageError('call requires the names of a server and of one of its tools.');
  }
  const [, tool, inside = ''] = /^([\w./-]+)\((.*)\)$/s.exec(written) ?? [];
  return tool === undefined
    ? { server, tool: written, typed }
    : { server, tool, typed, ...readWritten(inside.trim()) };
}

/** Splits `server.tool`, unless a server has the whole name. */
function splitServer(operands: readonly string[], servers: readonly string[]): readonly string[] {
  const [first = '', ...rest] = operands;
  if (servers.includes(first)) return operands;
  const known = servers.filter((id) => first.startsWith(`${id}.`));
  const longest = known.toSorted((one, other) => other.length - one.length)[0];
  // Without a known server, the first dot is meant if no tool follows.
  const isWhole = rest[0] === undefined || /[=:]/.test(rest[0]);
  const id = longest ?? (isWhole ? /^[^.(]+(?=\.)/.exec(first)?.[0] : undefined);
  return id === undefined ? operands : [id, first.slice(id.length + 1), ...rest];
}

/** Reads `name: value, …` or `value, …`. */
function readWritten(written: string): Pick<WrittenCall, 'json' | 'values'> {
  const json = jsonOfWritten(written);
  const object = json.startsWith('{') ? json : `{${json}\n}`;
  if (readArgumentsText(object).value !== undefined) return { json: object };
  const values = readArgumentsText(`{"":[${json}\n]}`).value?.[''];
  return Array.isArray(values) ? { values } : { json: object };
}

/** Quotes the names, and the texts in single quotes, of `name: value, …`. */
function jsonOfWritten(written: string): string {
  const parts = /"(?:[^"\\]|\\.)*"|'((?:[^'\\]|\\.)*)'|([A-Za-z_$][\w$-]*)(?=\s*:)/gs;
  return written.replaceAll(parts, (part: string, text?: string, name?: string) => {
    if (name !== undefined) return `"${name}"`;
    return text === undefined ? part : `"${text.replaceAll(/\\'|"|\\./gs, requoted)}"`;
  });
}

/** Moves an escape from single to double quotes. */
function requoted(escape: string): string {
  return escape === "\\'" ? "'" : escape === '"' ? '\\"' : escape;
}

/** `name=value`, `name:value` or `name:=json` in its parts. */
export interface TypedArgument {
  readonly name: string;
  readonly value: { readonly text: string } | { readonly json: JsonValue };
}

/** References that lead to each other end there. */
const maxRefs = 20;
/** Real schemas combine some hundreds. */
const maxVisits = 2_000;

/** Reads values that are not typed themselves. Each throws {UsageError}. */
export interface ArgumentSources {
  /** Returns `undefined` for a text that is not a variable. */
  readonly variable: (text: string) => string | undefined;
  /** The text of a file. */
  readonly file: (name: string) => string;
}

const asTyped: ArgumentSources = { variable: () => undefined, file: (name) => `@${name}` };

/**
 * Parses one argument without the schema. `name=@file` and `name:=@file` read the value from a
 * file, and `name=@@text` is a text that begins with `@`. @throws {UsageError} which names the
 * argument
 */
export function splitArgument(typed: string, sources: ArgumentSources = asTyped): TypedArgument {
  const [, name = '', sign, text = ''] = /^(.*?)(:=|[=:])(.*)$/s.exec(typed) ?? [];
  if (sign === undefined || name === '') {
    throw new UsageError(`"${inLine(typed)}" is not an argument: write name=value or name:=json.`);
  }
  if (sign !== ':=') return { name, value: { text: valueOf(text, sources) } };
  const written = text.startsWith('@') ? sources.file(text.slice(1)) : text;
  const { value } = readArgumentsText(`{"":${written}\n}`);
  const json = value !== undefined && Object.keys(value).join() === '' ? value[''] : undefined;
  if (json === undefined)
    throw new UsageError(`"${inLine(name)}" is not followed by JSON after ":=".`);
  return { name, value: { json } };
}

/** The text of a file is used unchanged, even if it looks like a variable. */
function valueOf(text: string, { variable, file }: ArgumentSources): string {
  if (text.startsWith('@@')) return text.slice(1);
  return text.startsWith('@') ? file(text.slice(1)) : (variable(text) ?? text);
}

/**
 * Converts arguments to the types of the schema: numbers and booleans if the schema declares them,
 * otherwise texts. Dots address nested objects, unless a property has the whole name; a repeated
 * argument becomes an array. @throws {UsageError} which names the argument
 */
export function typeArguments(all: readonly TypedArgument[], schema: JsonObject): JsonObject {
  const root: Branch = new Map();
  for (const { name, value } of all) {
    const place = placeOf(name, schema);
    const found = resolved(place.schema, schema);
    const types = typesOf(found, schema).filter((type) => type !== 'null');
    const isArray = types.join() === 'array' && 'text' in value;
    const own = isArray ? itemsOf(found, schema) : found;
    const typed = 'json' in value ? value.json : scalar(name, value.text, own, schema);
    put(root, place.path, { values: [typed], isArray }, name);
  }
  return objectOf(root);
}

/** Gives values the names of the properties, in the order of the schema. @throws {UsageError} */
export function nameArguments(
  tool: string,
  values: readonly JsonValue[],
  schema: JsonObject,
): JsonObject {
  const names = [...propertiesOf(resolved(schema, schema), schema).keys()];
  if (values.length > names.length) {
    const count = names.length === 1 ? '1 argument' : `${names.length} arguments`;
    throw new UsageError(`"${inLine(tool)}" has ${count}, not ${values.length}.`);
  }
  return Object.fromEntries(values.map((value, index) => [names[index], value]));
}

/**
 * Returns the declared properties of a schema, each with its types and, for an array, those of its
 * items; empty types mean any.
 */
export function declaredFields(root: JsonObject) {
  return [...propertiesOf(resolved(root, root), root)].map(([name, declared]) => {
    const schema = resolved(declared, root);
    const items = itemsOf(schema, root);
    return {
      name,
      declared,
      schema,
      types: typesOf(schema, root),
      items: { schema: items, types: typesOf(items, root) },
    };
  });
}

interface Leaf {
  readonly values: readonly JsonValue[];
  readonly isArray: boolean;
}
type Branch = Map<string, Branch | Leaf>;

function put(root: Branch, path: readonly string[], leaf: Leaf, name: string): void {
  let at = root;
  for (const step of path.slice(0, -1)) {
    const next = at.get(step) ?? new Map();
    if (!(next instanceof Map)) throw conflict(name);
    at.set(step, next);
    at = next;
  }
  const last = path.at(-1) ?? '';
  const before = at.get(last);
  if (before instanceof Map) throw conflict(name);
  if (before !== undefined && !leaf.isArray) throw conflict(name);
  at.set(last, { values: [...(before?.values ?? []), ...leaf.values], isArray: leaf.isArray });
}

function conflict(name: string): UsageError {
  return new UsageError(`"${inLine(name)}" is a duplicate and not an array.`);
}

function objectOf(branch: Branch): JsonObject {
  return Object.fromEntries(
    [...branch].map(([name, value]): [string, JsonValue] => {
      if (value instanceof Map) return [name, objectOf(value)];
      const [first = null] = value.values;
      return [name, value.isArray ? [...value.values] : first];
    }),
  );
}

/** Finds the place of an argument and its schema, which is `true` if the root declares none. */
function placeOf(
  name: string,
  root: JsonObject,
): { readonly path: readonly string[]; readonly schema: JsonValue } {
  const path: string[] = [];
  let rest = name;
  let at: JsonValue = root;
  for (;;) {
    const object = resolved(at, root);
    const properties = propertiesOf(object, root);
    const simple = isJsonObject(object) ? withoutNull(object).simple : {};
    // Members without a declaration of their own have this schema. Patterns of names are not run.
    const others = simple['patternProperties'] ? true : (simple['additionalProperties'] ?? true);
    const whole = properties.get(rest);
    const dot = rest.indexOf('.');
    if (whole !== undefined || dot < 1 || dot === rest.length - 1) {
      if (whole === undefined && others === false)
        throw unknownArgument(name, rest, [...properties.keys()]);
      return { path: [...path, rest], schema: whole ?? others };
    }
    const [step, after] = [rest.slice(0, dot), rest.slice(dot + 1)];
    path.push(step);
    at = properties.get(step) ?? others;
    rest = after;
  }
}

function unknownArgument(name: string, part: string, known: readonly string[]): UsageError {
  return new UsageError(`The tool has no argument "${inLine(name)}".${didYouMean(part, known)}`);
}

/** The number of combined schemas that may still be read. A few can combine each other without end. */
interface Visits {
  left: number;
}

const newVisits = (): Visits => ({ left: maxVisits });

/** Collects properties of the schema and of the schemas that it combines. */
function propertiesOf(
  schema: JsonValue,
  root: JsonObject,
  visits = newVisits(),
  depth = 0,
): ReadonlyMap<string, JsonValue> {
  if (!isJsonObject(schema) || depth > maxRefs || visits.left <= 0) return new Map();
  const { properties } = schema;
  const own = isJsonObject(properties) ? Object.entries(properties) : [];
  visits.left -= 1 + (depth === 0 ? 0 : own.length / 10);
  const others = partsOf(schema).flatMap((part) => [
    ...propertiesOf(resolved(part, root), root, visits, depth + 1),
  ]);
  return new Map([...others, ...own]);
}

function partsOf(schema: JsonObject): readonly JsonValue[] {
  return ['allOf', 'anyOf', 'oneOf'].flatMap((key) => {
    const parts = schema[key];
    return Array.isArray(parts) ? parts : [];
  });
}

function resolved(schema: JsonValue, root: JsonObject): JsonValue {
  let at = schema;
  for (let count = 0; count < maxRefs && isJsonObject(at); count += 1) {
    if (!Object.hasOwn(at, '$ref')) return at;
    const target = localTarget(at['$ref'], root);
    at = isJsonObject(target) ? target : true;
  }
  return at;
}

/** Returns the types that a value may have; empty for any. */
function typesOf(
  schema: JsonValue,
  root: JsonObject,
  visits = newVisits(),
  depth = 0,
): readonly string[] {
  if (!isJsonObject(schema) || depth > maxRefs || visits.left <= 0) return [];
  visits.left -= 1;
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((each) => typeof each === 'string');
  const parts = ['anyOf', 'oneOf'].flatMap((key) => {
    const all = schema[key];
    return Array.isArray(all) ? all : [];
  });
  const types = parts.map((part) => typesOf(resolved(part, root), root, visits, depth + 1));
  return types.some((each) => each.length === 0) ? [] : [...new Set(types.flat())];
}

function itemsOf(schema: JsonValue, root: JsonObject): JsonValue {
  const array = isJsonObject(schema) ? withoutNull(schema).simple : {};
  return resolved(array['items'] ?? true, root);
}

/** Converts one typed value. */
function scalar(name: string, text: string, schema: JsonValue, root: JsonObject): JsonValue {
  const listed = isJsonObject(schema) ? withoutNull(schema).simple['enum'] : undefined;
  const choice = Array.isArray(listed)
    ? (listed.find((each) => each === text) ?? listed.find((each) => String(each) === text))
    : undefined;
  if (choice !== undefined) return choice;
  const types = typesOf(schema, root);
  if (types.length === 0 || types.includes('string')) return text;
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.includes('null') && text === 'null') return null;
  const kind = types.includes('number')
    ? 'number'
    : types.includes('integer')
      ? 'integer'
      : undefined;
  if (kind !== undefined) {
    const isNullable = false;
    const field = {
      kind,
      name,
      label: name,
      required: true,
      isNullable,
      limits: {},
      schema: {},
    } as const;
    const parsed = parseFieldText(field, text);
    if (parsed.kind === 'value') return parsed.value;
  }
  const wanted = types.join(' or ');
  throw new UsageError(
    `"${inLine(name)}" is ${wanted}; "${inLine(text)}" is not. Write ${inLine(name)}:= for JSON.`,
  );
}

/** The protocol and this program use these names themselves. */
const reservedMeta = /^(?:progressToken$|(?:[a-z0-9-]+\.)*(?:modelcontextprotocol|mcp)[./])/i;

/** Reads members of `_meta` as the user typed them. @throws {UsageError} */
export function typedMeta(lines: readonly string[] | undefined): JsonObject | undefined {
  if (lines === undefined) return undefined;
  const members = new Map<string, JsonValue>();
  for (const line of lines) {
    const { name, value } = splitArgument(line);
    if (reservedMeta.test(name)) throw new UsageError(`--meta cannot set "${name}".`);
    if (members.has(name)) throw new UsageError(`--meta has "${name}" twice.`);
    members.set(name, 'json' in value ? value.json : value.text);
  }
  return Object.fromEntries(members);
}
