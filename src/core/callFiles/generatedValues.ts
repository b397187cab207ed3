import { randomInt, randomUUID } from 'node:crypto';
import type { JsonValue } from '../json/jsonValue';

const timeForms = ['iso8601', 'date', 'rfc1123', 'unix', 'unixMs'] as const;
type TimeForm = (typeof timeForms)[number];

/** How a value is made that no one has to think of. */
export type ValueGenerator =
  | { readonly kind: 'uuid' }
  | { readonly kind: 'now'; readonly form: TimeForm; readonly offsetMs: number }
  /** A whole number, both ends included. */
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
/** Some hundred years: further away a date is a mistake. */
const maxOffsetMs = 3_200_000_000_000;
/** What the generator of random numbers takes. */
const maxSpan = 2 ** 48 - 1;
/** A file full of them is still no larger than what may be sent. */
const maxTextLength = 100;
const firstLetters = 'abcdefghijklmnopqrstuvwxyz';
const letters = `${firstLetters}0123456789`;

/**
 * What `uuid`, `now` or `random` with all that follows stands for; `bad`: it begins like one of
 * them and is none, `undefined`: it is something else.
 */
export function parseGenerator(inner: string): ValueGenerator | 'bad' | undefined {
  const [, name, rest] = /^(uuid|now|random)(?::(.*))?$/s.exec(inner) ?? [];
  if (name === 'uuid') return parseUuid(rest);
  if (name === 'now') return parseNow(rest ?? 'iso8601');
  return name === 'random' ? parseRandom(rest ?? '') : undefined;
}

/** What follows tells several of one call apart. */
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

/**
 * The generated values of one run: each is made when a call first wants it, and is the same for this
 * call as long as the run goes on, so that what a person agreed to is what is sent. Other calls, and
 * other runs, get others.
 */
export class GeneratedValues {
  readonly #values = new Map<string, JsonValue>();

  /** `text` is the variable as it stands in the call. */
  valueOf(call: string, text: string, generator: ValueGenerator): JsonValue {
    const key = JSON.stringify([call, text]);
    const value = this.#values.get(key) ?? generate(generator);
    this.#values.set(key, value);
    return value;
  }
}

function generate(generator: ValueGenerator): JsonValue {
  if (generator.kind === 'uuid') return randomUUID();
  if (generator.kind === 'now') return formatTime(Date.now() + generator.offsetMs, generator.form);
  if (generator.kind === 'number') return randomInt(generator.least, generator.most + 1);
  // Names of many systems begin with a letter.
  return Array.from({ length: generator.length }, (_, index) => {
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
