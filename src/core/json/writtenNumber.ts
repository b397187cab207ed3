import { randomUUID } from 'node:crypto';

/** Identifies numbers made by another copy of this code, such as that of the inactive API. */
const mine = Symbol.for('ExactNumber of Toolgate');

/**
 * A JSON number that JavaScript would write differently: one that it cannot hold
 * (`9007199254740993`), or another spelling (`1.0`). It takes the place of the number in a value,
 * is a leaf, and is written as received. Created by {@link numberOf}.
 */
export class WrittenNumber {
  /** An own property, so that code that compares members distinguishes two numbers. */
  constructor(readonly text: string) {
    isAny = true;
  }

  get [mine](): true {
    return true;
  }

  /** Returns the nearest JavaScript number. */
  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  toJSON(): unknown {
    if (!isWriting) return this.valueOf();
    hasMarks = true;
    return mark + this.text;
  }
}

/** Marks a number while JSON is written; no server can guess it. */
const mark = `${randomUUID()}:`;
const marked = new RegExp(`"${mark}([^"]*)"`, 'g');
let isAny = false;
let isWriting = false;
let hasMarks = false;

/** Returns the number that `text` is in JSON. */
export function numberOf(text: string): number | WrittenNumber {
  const value = Number(text);
  return JSON.stringify(value) === text ? value : new WrittenNumber(text);
}

/** True if any such number was created: most windows and programs never meet one. */
export function hasWrittenNumbers(): boolean {
  return isAny;
}

export function isNumber(value: unknown): value is number | WrittenNumber {
  return typeof value === 'number' || value instanceof WrittenNumber;
}

/** Creates a number for other extensions. @throws {TypeError} if the text is not a JSON number */
export function exactNumber(json: unknown): WrittenNumber {
  const number = typeof json === 'string' ? json : '';
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(number)) {
    throw new TypeError('An exact number is text, as JSON writes numbers.');
  }
  return new WrittenNumber(number);
}

/**
 * Returns the number that another extension passed, also one as written; `undefined` for anything
 * else.
 */
export function numberOfCaller(value: unknown): number | WrittenNumber | undefined {
  if (typeof value === 'bigint') return numberOf(String(value));
  if (typeof value !== 'object' || value === null) return undefined;
  return Reflect.get(value, mine) === true ? exactNumber(Reflect.get(value, 'text')) : undefined;
}

/** Returns the JSON that `write` makes with `JSON.stringify`, with every number as written. */
export function writeExactly<T extends string | undefined>(write: () => T): T | string {
  const [wasWriting, hadMarks] = [isWriting, hasMarks];
  isWriting = true;
  hasMarks = false;
  try {
    const json = write();
    return json !== undefined && hasMarks ? json.replaceAll(marked, '$1') : json;
  } finally {
    isWriting = wasWriting;
    hasMarks = hadMarks;
  }
}

/**
 * Works like `JSON.stringify`, with every number as written; costs nothing extra if there is none.
 */
export function stringifyExactly(value: unknown, indent?: number): string {
  return writeExactly(() => JSON.stringify(value, undefined, indent));
}

/** True if both are the same number, regardless of spelling. */
export function isSameNumber(one: number | WrittenNumber, other: number | WrittenNumber): boolean {
  return one === other || decimalOf(String(one)) === decimalOf(String(other));
}

/** Returns the JavaScript number if it is exact and only the spelling differs. */
export function toExactNumber(number: WrittenNumber): number | WrittenNumber {
  const held = number.valueOf();
  return isSameNumber(number, held) ? held : number;
}

/** True if it has no fraction, regardless of spelling. */
export function isWhole(number: number | WrittenNumber): boolean {
  if (typeof number === 'number') return Number.isInteger(number);
  const exponent = /e(.*)$/.exec(decimalOf(number.text) ?? 'e-1')?.[1];
  return exponent === undefined || Number(exponent) >= 0;
}

/**
 * Returns one text for every spelling of a number: its digits without zeros at either end, and the
 * power of ten after them. `undefined` if the text is not a JSON number.
 */
function decimalOf(text: string): string | undefined {
  const found = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (found === null) return undefined;
  const [, sign = '', whole = '', fraction = '', power = '0'] = found;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutLastZeros(digits);
  if (significant === '') return '0';
  const zeros = digits.length - significant.length;
  return `${sign}${significant}e${Number(power) - fraction.length + zeros}`;
}

/** Takes linear time: a regular expression would restart at every zero. */
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
