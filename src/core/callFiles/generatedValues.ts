import { randomInt, randomUUID } from 'node:crypto';
import { assertNever } from '../errors';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import type { FileCallTarget } from './callFile';

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
export function parseGenerator(inner: string): ValueGenerator | 'bad' | undefined {
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
