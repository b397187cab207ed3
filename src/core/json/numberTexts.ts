import {
  closingBrace,
  closingBracket,
  colon,
  comma,
  isSpace,
  literalEnd,
  openingBrace,
  openingBracket,
  quote,
} from './jsonCodes';

/** Longer messages are not looked through for their numbers: it would stop the editor for a moment. */
const maxChars = 256 * 1024;

/** On objects and lists: their numbers as they were written, by key, where writing them changes them. */
const numberTexts = Symbol('number texts');

/** Whether `value` holds a number, however deep, of which {@link numberTextOf} knows the text. */
export function hasNumberTexts(value: unknown): boolean {
  return isContainer(value) && textsOf(value) !== undefined;
}

/** How a number in an answer was written, if JavaScript would write another: `1.0`, `1e400`. */
export function numberTextOf(holder: object, key: string): string | undefined {
  return textsOf(holder)?.get(key);
}

/**
 * `copy`, which has members of `sources` under the same names, with what is known of how its
 * numbers were written.
 */
export function withNumberTexts<T extends object>(copy: T, ...sources: readonly object[]): T {
  for (const source of sources) {
    for (const [name, written] of textsOf(source) ?? []) {
      if (Object.is(ownOf(copy, name), Number(written))) textsFor(copy)?.set(name, written);
    }
  }
  if (!hasNumberTexts(copy) && Object.values(copy).some(hasNumberTexts)) textsFor(copy);
  return copy;
}

/**
 * Remembers for {@link numberTextOf} how the numbers of `value`, which `text` was parsed to, were
 * written. Not for texts above 256 Ki characters, in which numbers are what JavaScript makes of
 * them.
 */
export function rememberNumberTexts(text: string, value: unknown): void {
  if (text.length <= maxChars && mayChange.test(text)) remember(text, value);
}

/**
 * Many digits, a zero at the end of a fraction, an exponent, a negative zero. Within strings, too,
 * but not `"2.0"`, which stands in every message.
 */
const mayChange =
  /[[:,\s]-?(?:\d{16}|\d+(?:\.\d{15}|\.\d*0(?!\d)|(?:\.\d+)?[eE]))|[[:,\s]-0(?![.\d])/;

/** An array or object that the text is inside of. */
interface Open {
  /** What it was parsed to; anything else where the same name follows once more. */
  readonly value: unknown;
  /** Of the member or item that comes: its index, or its name as it was written. */
  key: number | string;
  /** A name comes, and no value. */
  isBeforeName: boolean;
}

/** Without recursion: depth is for the server to choose. */
function remember(text: string, root: unknown): void {
  const open: Open[] = [];
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    const innermost = open.at(-1);
    let end = at + 1;
    if (code === openingBrace || code === openingBracket) {
      const value = innermost === undefined ? root : memberOf(innermost);
      const isObject = code === openingBrace;
      open.push({ value, key: isObject ? '' : 0, isBeforeName: isObject });
    } else if (code === closingBrace || code === closingBracket) open.pop();
    else if (code === comma && innermost !== undefined) {
      if (typeof innermost.key === 'number') innermost.key += 1;
      else innermost.isBeforeName = true;
    } else if (!isSpace(code) && code !== colon) {
      end = literalEnd(text, at);
      if (innermost?.isBeforeName === true) {
        innermost.key = text.slice(at, end);
        innermost.isBeforeName = false;
      } else if (code !== quote) rememberOne(open, text.slice(at, end));
    }
    at = end;
  }
}

/** `written` is a number, or a word. */
function rememberOne(open: readonly Open[], written: string): void {
  const number = Number(written);
  if (Number.isNaN(number) || JSON.stringify(number) === written) return;
  const holder = open.at(-1);
  // Of two members with one name the last one counts.
  if (holder === undefined || !Object.is(memberOf(holder), number)) return;
  textsFor(holder.value)?.set(String(nameOf(holder)), written);
  // Those that know already have told those around them.
  for (let depth = open.length - 2; depth >= 0; depth -= 1) {
    const value = open[depth]?.value;
    if (hasNumberTexts(value)) return;
    textsFor(value);
  }
}

function textsFor(holder: unknown): Map<string, string> | undefined {
  if (!isContainer(holder)) return undefined;
  const texts = textsOf(holder) ?? new Map<string, string>();
  // Not enumerable: no comparison, copy or JSON of the value shows that it is there.
  Object.defineProperty(holder, numberTexts, { value: texts });
  return texts;
}

/** What stands there. */
function memberOf(holder: Open): unknown {
  return isContainer(holder.value) ? ownOf(holder.value, nameOf(holder)) : undefined;
}

function nameOf({ key }: Open): number | string {
  return typeof key === 'number' ? key : String(JSON.parse(key));
}

function textsOf(holder: object): Map<string, string> | undefined {
  const texts = ownOf(holder, numberTexts);
  return texts instanceof Map ? texts : undefined;
}

/** What an object inherits is the same for all, and a server may name it. */
function ownOf(holder: object, key: PropertyKey): unknown {
  return Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
