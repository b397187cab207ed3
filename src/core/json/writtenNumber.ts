import { randomUUID } from 'node:crypto';

/** By which one is known that was made by another copy of this code, such as that of the inactive API. */
const mine = Symbol.for('ExactNumber of Toolgate');

/**
 * A number of JSON that JavaScript would write in other words: one that it cannot hold
 * (`9007199254740993`), or another spelling (`1.0`). It stands in a value in the place of the
 * number, is a leaf, and is written as it came. Made by {@link numberOf}.
 */
export class WrittenNumber {
  /** Its own member, so that whatever compares members tells one from another. */
  constructor(readonly text: string) {
    isAny = true;
  }

  get [mine](): true {
    return true;
  }

  /** The nearest number of JavaScript. */
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

/** No server can guess what stands for a number while JSON is written. */
const mark = `${randomUUID()}:`;
const marked = new RegExp(`"${mark}([^"]*)"`, 'g');
let isAny = false;
let isWriting = false;
let hasMarks = false;

/** The number that `text` is in JSON. */
export function numberOf(text: string): number | WrittenNumber {
  const value = Number(text);
  return JSON.stringify(value) === text ? value : new WrittenNumber(text);
}

/** Whether there can be one anywhere: most windows and programs never meet one. */
export function isAnyWritten(): boolean {
  return isAny;
}

export function isNumber(value: unknown): value is number | WrittenNumber {
  return typeof value === 'number' || value instanceof WrittenNumber;
}

/** For other extensions. @throws {TypeError} for what is no number of JSON */
export function exactNumber(json: unknown): WrittenNumber {
  const number = typeof json === 'string' ? json : '';
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(number)) {
    throw new TypeError('An exact number is text, as JSON writes numbers.');
  }
  return new WrittenNumber(number);
}

/** What another extension gave as a number beside those of JavaScript; `undefined` for anything else. */
export function givenNumber(value: unknown): number | WrittenNumber | undefined {
  if (typeof value === 'bigint') return numberOf(String(value));
  if (typeof value !== 'object' || value === null) return undefined;
  return Reflect.get(value, mine) === true ? exactNumber(Reflect.get(value, 'text')) : undefined;
}

/** The JSON that `write` makes by `JSON.stringify`, with every number as it was written. */
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

/** `JSON.stringify`, with every number as it was written; costs no more where none is. */
export function stringifyExactly(value: unknown, indent?: number): string {
  return writeExactly(() => JSON.stringify(value, undefined, indent));
}

/** Whether both are the same number, however they are written. */
export function isSameNumber(one: number | WrittenNumber, other: number | WrittenNumber): boolean {
  return one === other || decimalOf(String(one)) === decimalOf(String(other));
}

/** The number of JavaScript, where it has the number itself and only its spelling is another. */
export function heldNumber(number: WrittenNumber): number | WrittenNumber {
  const held = number.valueOf();
  return isSameNumber(number, held) ? held : number;
}

/** Whether it has no fraction, however it is written. */
export function isWhole(number: number | WrittenNumber): boolean {
  if (typeof number === 'number') return Number.isInteger(number);
  const exponent = /e(.*)$/.exec(decimalOf(number.text) ?? 'e-1')?.[1];
  return exponent === undefined || Number(exponent) >= 0;
}

/**
 * One text for every spelling of a number: its digits without zeros at either end, and the power of
 * ten behind them. `undefined` for what is no number of JSON.
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

/** In time that grows with the length: a pattern would begin anew at every zero. */
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
