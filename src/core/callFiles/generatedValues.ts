import { createHash, randomBytes } from 'node:crypto';
import type { JsonValue } from '../json/jsonValue';

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

/** Makes a run reproducible: runs with the same origin generate the same values. */
export interface ValueOrigin {
  readonly seed: string;
  /** The current time for the run, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The generated values of one run. A value is generated on first use and stays the same for its
 * call during the run, so that the value that the user approved is the one that is sent. Other
 * calls and runs get other values unless they have the same origin.
 */
export class GeneratedValues {
  readonly #values = new Map<string, JsonValue>();
  readonly #origin: ValueOrigin | undefined;

  constructor(origin?: ValueOrigin) {
    this.#origin = origin;
  }

  /** @param text The variable as written in the call. */
  valueOf(call: string, text: string, generator: ValueGenerator): JsonValue {
    const key = JSON.stringify([call, text]);
    const value = this.#values.get(key) ?? this.#generate(key, generator);
    this.#values.set(key, value);
    return value;
  }

  #generate(key: string, generator: ValueGenerator): JsonValue {
    const { seed, at } = this.#origin ?? { seed: undefined, at: Date.now() };
    if (generator.kind === 'now') return formatTime(at + generator.offsetMs, generator.form);
    const bytes = seed === undefined ? randomBytes(maxBytes) : bytesOf(JSON.stringify([seed, key]));
    if (generator.kind === 'uuid') return uuidOf(bytes);
    return generator.kind === 'number' ? numberOf(bytes, generator) : textOf(bytes, generator);
  }
}

/** The longest text takes two bytes per letter, so that all letters are equally likely. */
const maxBytes = 2 * maxTextLength;

function bytesOf(origin: string): Buffer {
  return createHash('shake256', { outputLength: maxBytes }).update(origin).digest();
}

/** UUID version 4 (RFC 9562). */
function uuidOf(bytes: Buffer): string {
  const version = 0x40 | (bytes.readUInt8(6) & 0x0f);
  const variant = 0x80 | (bytes.readUInt8(8) & 0x3f);
  const own = Buffer.from(bytes.subarray(0, 16));
  own[6] = version;
  own[8] = variant;
  const hex = own.toString('hex');
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([begin, end]) => hex.slice(begin, end))
    .join('-');
}

function numberOf(bytes: Buffer, { least, most }: { least: number; most: number }): number {
  const drawn = BigInt(`0x${bytes.toString('hex', 0, 16)}`);
  return least + Number(drawn % BigInt(most - least + 1));
}

function textOf(bytes: Buffer, { length }: { length: number }): string {
  // Begins with a letter, which many systems require for names.
  return Array.from({ length }, (_, index) => {
    const among = index === 0 ? firstLetters : letters;
    return among.charAt(bytes.readUInt16BE(2 * index) % among.length);
  }).join('');
}

function formatTime(ms: number, form: TimeForm): JsonValue {
  const date = new Date(ms);
  if (form === 'date') return date.toISOString().slice(0, 'yyyy-mm-dd'.length);
  if (form === 'rfc1123') return date.toUTCString();
  if (form === 'unix') return Math.floor(ms / 1_000);
  return form === 'unixMs' ? ms : date.toISOString();
}
