import type { JsonObject, JsonValue } from '../json/jsonValue';
import { stringifyExactly } from '../json/writtenNumber';
import { isContainer, isJsonObject, isJsonArray } from '../json/shapes';
import { parsePointerSteps, toPointerStep, type PointerSteps } from '../json/jsonPointer';
import { randomInt, randomUUID } from 'node:crypto';
import { assertNever } from '../errors';
import type { FileCallTarget } from './callFile';

/** The content of `${…}` in a string of a call's arguments. */
export type Variable =
  | { readonly kind: 'env' | 'input' | 'var'; readonly name: string; readonly text: string }
  | { readonly kind: 'workspaceFolder' | 'file' | 'selectedText'; readonly text: string }
  | { readonly kind: 'generated'; readonly generator: ValueGenerator; readonly text: string }
  | {
      readonly kind: 'call';
      /** The call whose result it is taken from. */
      readonly name: string;
      readonly part: 'content' | 'structuredContent';
      readonly steps: PointerSteps;
      readonly text: string;
    };

/** A variable whose value is not generated. */
export type KnownVariable = Exclude<Variable, { readonly kind: 'generated' }>;

/** Why a text that begins like a variable is not a valid one. */
export interface CallFileVariableProblem {
  readonly code: 'openVariable' | 'unknownVariable' | 'badVariable' | 'badGenerated';
  /** The text in the file. */
  readonly detail: string;
}

/** A string split into literal text and variables. */
export interface Template {
  readonly pieces: readonly (string | Variable)[];
  readonly problems: readonly CallFileVariableProblem[];
}

/** A variable and its place. */
export interface PlacedVariable {
  readonly pointer: string;
  readonly variable: Variable;
}

const begin = '${';
const escapedBegin = '$${';

/**
 * Splits a string of a call file. `$${` is a literal `${`. An invalid variable is a problem,
 * because sending it as literal text would not be what was meant.
 */
export function parseTemplate(text: string): Template {
  const pieces: (string | Variable)[] = [];
  const problems: CallFileVariableProblem[] = [];
  let literal = '';
  let offset = 0;
  for (;;) {
    const start = text.indexOf(begin, offset);
    if (start < 0) break;
    if (start > offset && text[start - 1] === '$') {
      literal += text.slice(offset, start - 1) + begin;
      offset = start - 1 + escapedBegin.length;
      continue;
    }
    literal += text.slice(offset, start);
    const end = text.indexOf('}', start);
    if (end < 0) {
      problems.push({ code: 'openVariable', detail: text.slice(start) });
      return { pieces, problems };
    }
    const parsed = parseVariable(text.slice(start, end + 1));
    if ('code' in parsed) problems.push(parsed);
    else {
      if (literal !== '') pieces.push(literal);
      literal = '';
      pieces.push(parsed);
    }
    offset = end + 1;
  }
  literal += text.slice(offset);
  if (literal !== '') pieces.push(literal);
  return { pieces, problems };
}

function parseVariable(text: string): Variable | CallFileVariableProblem {
  const inner = text.slice(begin.length, -1);
  if (inner === 'workspaceFolder' || inner === 'file' || inner === 'selectedText') {
    return { kind: inner, text };
  }
  const [, kind, name = ''] = /^(env|input|var):(.*)$/s.exec(inner) ?? [];
  if (kind === 'env' || kind === 'input' || kind === 'var') {
    return name === '' ? { code: 'badVariable', detail: text } : { kind, name, text };
  }
  const generator = parseGenerator(inner);
  if (generator === 'bad') return { code: 'badGenerated', detail: text };
  if (generator !== undefined) return { kind: 'generated', generator, text };
  if (!inner.startsWith('calls.')) return { code: 'unknownVariable', detail: text };
  const pattern = /^calls\.(.+?)\.(content|structuredContent)(?:\.(\/.*))?$/s;
  const [, call = '', part, pointer = ''] = pattern.exec(inner) ?? [];
  const steps = parsePointerSteps(pointer);
  if ((part !== 'content' && part !== 'structuredContent') || steps === undefined) {
    return { code: 'badVariable', detail: text };
  }
  return { kind: 'call', name: call, part, steps, text };
}

/** Iterates over all strings in `value` with their places. Member names are not included. */
export function* stringsIn(value: JsonValue, pointer = ''): Generator<[string, string]> {
  if (typeof value === 'string') yield [pointer, value];
  if (!isContainer(value)) return;
  for (const [name, child] of Object.entries(value)) {
    yield* stringsIn(child, pointer + toPointerStep(name));
  }
}

/** Returns the variables of a value, in document order. */
export function findVariables(value: JsonValue): readonly PlacedVariable[] {
  return [...stringsIn(value)].flatMap(([pointer, text]) =>
    parseTemplate(text).pieces.flatMap((variable) =>
      typeof variable === 'string' ? [] : [{ pointer, variable }],
    ),
  );
}

/**
 * Replaces every variable by the result of `valueOf`, and `$${` by `${`. A string that is a single
 * variable becomes the value itself, of any type; inside other text, a string is inserted as it is
 * and any other value as JSON. Inserted values are not searched for variables, because what a
 * server answered is data.
 */
export function fillVariables(value: JsonObject, valueOf: ResolveVariable): JsonObject {
  // Defines own properties, so that `__proto__` is an ordinary one.
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, fillVariablesOfValue(child, valueOf)]),
  );
}

export type ResolveVariable = (variable: Variable) => JsonValue;

/** Does the same for any value. */
export function fillVariablesOfValue(value: JsonValue, valueOf: ResolveVariable): JsonValue {
  if (typeof value === 'string') return fillText(value, valueOf);
  if (isJsonArray(value)) return value.map((child) => fillVariablesOfValue(child, valueOf));
  return isJsonObject(value) ? fillVariables(value, valueOf) : value;
}

function fillText(text: string, valueOf: ResolveVariable): JsonValue {
  const { pieces } = parseTemplate(text);
  const [first] = pieces;
  if (pieces.length === 1 && typeof first === 'object') return valueOf(first);
  return pieces
    .map((piece) => (typeof piece === 'string' ? piece : toInsertedText(valueOf(piece))))
    .join('');
}

/** Escapes `value` so that a call file with it sends it unchanged. */
export function escapeVariables(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, escapeValue(child)]),
  );
}

/** Does the same for any value. */
export function escapeValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replaceAll(begin, () => escapedBegin);
  if (isJsonArray(value)) return value.map(escapeValue);
  return isJsonObject(value) ? escapeVariables(value) : value;
}

/** Formats a value for insertion into other text. */
export function toInsertedText(value: JsonValue): string {
  return typeof value === 'string' ? value : stringifyExactly(value);
}

const timeForms = ['iso8601', 'date', 'rfc1123', 'unix', 'unixMs'] as const;
type TimeForm = (typeof timeForms)[number];

/** How to generate a value. */
export type ValueGenerator =
  | { readonly kind: 'uuid' }
  | { readonly kind: 'now'; readonly form: TimeForm; readonly offsetMs: number }
  /** An integer between two inclusive bounds. */
  | { readonly kind: 'number'; readonly least: number; readonly most: number }
  | { readonly kind: 'text'; readonly length: number };

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
/** About a hundred years; a larger offset is a mistake. */
const maxOffsetMs = 3_200_000_000_000;
/** The limit of Node's random number generator. */
const maxSpan = 2 ** 48 - 1;
/** Keeps a file full of them below the limit for arguments. */
const maxTextLength = 100;
const firstLetters = 'abcdefghijklmnopqrstuvwxyz';
const letters = `${firstLetters}0123456789`;

/**
 * Parses `uuid`, `now` or `random` with its parameters. Returns `bad` if it is malformed, and
 * `undefined` if it is something else.
 */
function parseGenerator(inner: string): ValueGenerator | 'bad' | undefined {
  const [, name, rest] = /^(uuid|now|random)(?::(.*))?$/s.exec(inner) ?? [];
  if (name === 'uuid') return parseUuid(rest);
  if (name === 'now') return parseNow(rest ?? 'iso8601');
  return name === 'random' ? parseRandom(rest ?? '') : undefined;
}

/** A label distinguishes several UUIDs of one call. */
function parseUuid(label: string | undefined): ValueGenerator | 'bad' {
  return label === undefined || /^[\w-]{1,50}$/.test(label) ? { kind: 'uuid' } : 'bad';
}

function parseNow(text: string): ValueGenerator | 'bad' {
  const pattern = /^(?:([a-zA-Z0-9]+))?(?:(?:^| )([+-]\d{1,12})(ms|s|m|h|d|w))?$/;
  const [whole, named, amount, unit = ''] = pattern.exec(text) ?? [];
  const form = timeForms.find((each) => each === (named ?? 'iso8601'));
  const offsetMs = amount === undefined ? 0 : Number(amount) * (unitsMs[unit] ?? 0);
  if (whole === undefined || whole === '' || form === undefined) return 'bad';
  return Math.abs(offsetMs) > maxOffsetMs ? 'bad' : { kind: 'now', form, offsetMs };
}

function parseRandom(text: string): ValueGenerator | 'bad' {
  const [, first = '', last = ''] = /^(-?\d{1,16})\.\.(-?\d{1,16})$/.exec(text) ?? [];
  if (last !== '') {
    const [least, most] = [Number(first), Number(last)];
    const isExact = Number.isSafeInteger(least) && Number.isSafeInteger(most);
    const isRange = isExact && least <= most && most < Number.MAX_SAFE_INTEGER;
    return isRange && most - least < maxSpan ? { kind: 'number', least, most } : 'bad';
  }
  const [, digits] = /^text (\d{1,4})$/.exec(text) ?? [];
  const length = Number(digits ?? 0);
  return length >= 1 && length <= maxTextLength ? { kind: 'text', length } : 'bad';
}

/** Describes what a call sends, as far as a recording has it. */
export interface GeneratingRequest {
  readonly server: string;
  readonly target: FileCallTarget;
  readonly value: JsonObject | undefined;
}

/** The values of one recorded request. */
export interface RecalledValues {
  /** Keyed by variable. A variable that is only in `expect` has none. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /** The time of the request, in milliseconds since the epoch, if the recording has it. */
  readonly at: number | undefined;
}

/** Finds the values of earlier requests. */
export interface ValueSource {
  /**
   * Returns the values of the next recorded request that differs from this call in generated
   * values only, or of the last one if all were used.
   * @param requestOf Makes the request with these values in place of the generated ones.
   */
  take(
    generators: ReadonlyMap<string, ValueGenerator>,
    requestOf: (values: ReadonlyMap<string, JsonValue>) => GeneratingRequest,
  ): RecalledValues | undefined;
}

/**
 * The generated values of one run. A value is generated on first use and stays the same for its
 * call during the run, so that the value that the user approved is the one that is sent. Other
 * calls and runs get other values, except those of a recording that is replayed.
 */
export class GeneratedValues {
  readonly #values = new Map<string, JsonValue>();
  /** The calls that have values of the recording, with the time of the recorded one. */
  readonly #recalled = new Map<string, number | undefined>();
  readonly #recorded: ValueSource | undefined;

  constructor(recorded?: ValueSource) {
    this.#recorded = recorded;
  }

  /**
   * Returns the values of the variables of a call.
   * @param requestOf Makes the request of the call with such values.
   */
  valuesOf(
    call: string,
    generators: ReadonlyMap<string, ValueGenerator>,
    requestOf: Parameters<ValueSource['take']>[1],
  ): ReadonlyMap<string, JsonValue> {
    if (generators.size === 0) return new Map();
    const recalled = this.#recalled.has(call)
      ? undefined
      : this.#recorded?.take(generators, requestOf);
    if (recalled !== undefined) this.#recalled.set(call, recalled.at);
    for (const [text, value] of recalled?.values ?? []) {
      this.#values.set(JSON.stringify([call, text]), value);
    }
    return new Map(
      [...generators].map(([text, generator]) => [text, this.valueOf(call, text, generator)]),
    );
  }

  /** @param text The variable as written in the call. */
  valueOf(call: string, text: string, generator: ValueGenerator): JsonValue {
    const key = JSON.stringify([call, text]);
    const value = this.#values.get(key) ?? generate(generator, this.#recalled.get(call));
    this.#values.set(key, value);
    return value;
  }
}

function generate(generator: ValueGenerator, now = Date.now()): JsonValue {
  switch (generator.kind) {
    case 'uuid':
      return randomUUID();
    case 'now':
      return formatTime(now + generator.offsetMs, generator.form);
    case 'number':
      return randomInt(generator.least, generator.most + 1);
    case 'text':
      return randomText(generator.length);
    default:
      return assertNever(generator);
  }
}

/** True if the generator makes numbers. */
export function isNumeric(generator: ValueGenerator): boolean {
  if (generator.kind === 'now') return generator.form === 'unix' || generator.form === 'unixMs';
  return generator.kind === 'number';
}

const timePatterns: Readonly<Record<TimeForm, string>> = {
  iso8601: String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`,
  date: String.raw`\d{4}-\d\d-\d\d`,
  rfc1123: String.raw`[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT`,
  unix: String.raw`-?\d{1,16}`,
  unixMs: String.raw`-?\d{1,16}`,
};

/** Returns the pattern of the values. Only those of numbers have no fixed length. */
export function patternOf(generator: ValueGenerator): string {
  switch (generator.kind) {
    case 'uuid':
      return '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
    case 'now':
      return timePatterns[generator.form];
    case 'number':
      return String.raw`-?\d{1,16}`;
    case 'text':
      return `[a-z0-9]{${generator.length}}`;
    default:
      return assertNever(generator);
  }
}

/** Begins with a letter, which many systems require for names. */
function randomText(length: number): string {
  return Array.from({ length }, (_, index) => {
    const among = index === 0 ? firstLetters : letters;
    return among.charAt(randomInt(among.length));
  }).join('');
}

function formatTime(ms: number, form: TimeForm): JsonValue {
  const date = new Date(ms);
  if (form === 'date') return date.toISOString().slice(0, 'yyyy-mm-dd'.length);
  if (form === 'rfc1123') return date.toUTCString();
  if (form === 'unix') return Math.floor(ms / 1_000);
  return form === 'unixMs' ? ms : date.toISOString();
}
