import {
  backslash,
  closingBrace,
  closingBracket,
  colon,
  comma,
  isSpace,
  openingBrace,
  openingBracket,
  quote,
  maxLevels,
  TooMuchJson,
} from './jsonLimits';

// States of the check; plain numbers, because every byte is checked.
const beforeValue = 0;
/** At the beginning of an array. */
const beforeFirstItem = 1;
const afterValue = 2;
const beforeFirstName = 3;
const beforeName = 4;
const beforeColon = 5;
const inString = 6;
const inEscape = 7;
/** Within the four digits after `\u`. */
const inHexDigits = 8;
const inWord = 9;
const afterMinus = 10;
/** After a zero at the beginning of a number. */
const afterZero = 11;
const inDigits = 12;
const afterPoint = 13;
const inFraction = 14;
const afterExponent = 15;
const afterExponentSign = 16;
const inExponent = 17;

const literals: ReadonlyMap<number, string> = new Map([
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
]);
/** `" \ / b f n r t` */
const escapes: ReadonlySet<number> = new Set([
  quote,
  backslash,
  0x2f,
  0x62,
  0x66,
  0x6e,
  0x72,
  0x74,
]);

/**
 * Checks that one array or object that arrives in parts is JSON, without building a value: nothing
 * of it is held, whatever its size. Accepts the same texts as `JSON.parse`.
 */
export class JsonCheck {
  readonly #isObject: boolean[] = [];
  readonly #maxDepth: number;
  #state = beforeValue;
  /** True while the string is the name of a member. */
  #isName = false;
  #hexDigits = 0;
  #word = '';
  #wordAt = 0;
  #values = 0;

  /** @param level nesting level of the value's container */
  constructor(level: number) {
    this.#maxDepth = maxLevels - level;
  }

  /** Number of values so far, nested ones included. */
  get values(): number {
    return this.#values;
  }

  /**
   * Returns the index after the end of the value, or -1 if it continues. @throws {SyntaxError |
   * TooMuchJson}
   */
  push(bytes: Uint8Array): number {
    const { length } = bytes;
    for (let at = 0; at < length; at += 1) {
      if (this.#state === inString) {
        at = this.#passString(bytes, at);
        if (at === length) return -1;
      }
      const byte = bytes[at] ?? 0;
      if (!this.#take(byte)) continue;
      if (this.#isObject.length === 0) return at + 1;
    }
    return -1;
  }

  /** Returns the index of the first byte that is not plain content of the string. */
  #passString(bytes: Uint8Array, start: number): number {
    let at = start;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === quote || byte === backslash || byte < 0x20) break;
    }
    return at;
  }

  /** Returns true if the byte ends the array or object. */
  #take(byte: number): boolean {
    switch (this.#state) {
      case inString:
        return this.#takeOfString(byte);
      case afterValue:
        if (byte === comma) {
          this.#state = this.#isObject.at(-1) === true ? beforeName : beforeValue;
          return false;
        }
        return isSpace(byte) ? false : this.#close(byte);
      case beforeColon:
        if (byte === colon) this.#state = beforeValue;
        else if (!isSpace(byte)) throw new SyntaxError();
        return false;
      case beforeFirstName:
      case beforeName:
        return this.#takeName(byte);
      case beforeValue:
      case beforeFirstItem:
        return this.#beginValue(byte);
      case inEscape:
      case inHexDigits:
        return this.#takeEscape(byte);
      case inWord:
        if (byte !== this.#word.charCodeAt(this.#wordAt)) throw new SyntaxError();
        this.#wordAt += 1;
        if (this.#wordAt === this.#word.length) this.#state = afterValue;
        return false;
      default:
        return this.#takeOfNumber(byte);
    }
  }

  #beginValue(byte: number): boolean {
    if (isSpace(byte)) return false;
    if (byte === closingBracket && this.#state === beforeFirstItem) return this.#close(byte);
    this.#values += 1;
    if (byte === quote) {
      this.#isName = false;
      this.#state = inString;
    } else if (byte === openingBrace || byte === openingBracket) {
      if (this.#isObject.length >= this.#maxDepth) throw new TooMuchJson('levels', maxLevels);
      this.#isObject.push(byte === openingBrace);
      this.#state = byte === openingBrace ? beforeFirstName : beforeFirstItem;
    } else if (byte === 0x2d) this.#state = afterMinus;
    else if (byte === 0x30) this.#state = afterZero;
    else if (isDigit(byte)) this.#state = inDigits;
    else {
      const word = literals.get(byte);
      if (word === undefined) throw new SyntaxError();
      this.#word = word;
      this.#wordAt = 1;
      this.#state = inWord;
    }
    return false;
  }

  #close(byte: number): boolean {
    const isObject = this.#isObject.pop();
    if (byte !== (isObject === true ? closingBrace : closingBracket)) throw new SyntaxError();
    this.#state = afterValue;
    return true;
  }

  #takeName(byte: number): boolean {
    if (isSpace(byte)) return false;
    if (byte === closingBrace && this.#state === beforeFirstName) return this.#close(byte);
    if (byte !== quote) throw new SyntaxError();
    this.#isName = true;
    this.#state = inString;
    return false;
  }

  #takeOfString(byte: number): boolean {
    if (byte === quote) this.#state = this.#isName ? beforeColon : afterValue;
    else if (byte === backslash) this.#state = inEscape;
    else if (byte < 0x20) throw new SyntaxError();
    return false;
  }

  #takeEscape(byte: number): boolean {
    if (this.#state === inHexDigits) {
      if (!isHexDigit(byte)) throw new SyntaxError();
      this.#hexDigits += 1;
      if (this.#hexDigits === 4) this.#state = inString;
    } else if (byte === 0x75) {
      this.#hexDigits = 0;
      this.#state = inHexDigits;
    } else if (escapes.has(byte)) this.#state = inString;
    else throw new SyntaxError();
    return false;
  }

  #takeOfNumber(byte: number): boolean {
    const next = nextOfNumber(this.#state, byte);
    if (next !== undefined) {
      this.#state = next;
      return false;
    }
    const isWhole =
      this.#state === afterZero ||
      this.#state === inDigits ||
      this.#state === inFraction ||
      this.#state === inExponent;
    if (!isWhole) throw new SyntaxError();
    this.#state = afterValue;
    return this.#take(byte);
  }
}

/** Returns the next state, or `undefined` if the byte cannot continue the number. */
function nextOfNumber(state: number, byte: number): number | undefined {
  const isExponent = byte === 0x65 || byte === 0x45;
  switch (state) {
    case afterMinus:
      if (byte === 0x30) return afterZero;
      return isDigit(byte) ? inDigits : undefined;
    case afterZero:
    case inDigits:
      // No digit may follow a zero at the beginning.
      if (isDigit(byte)) return state === inDigits ? inDigits : undefined;
      if (byte === 0x2e) return afterPoint;
      return isExponent ? afterExponent : undefined;
    case afterPoint:
    case inFraction:
      if (isDigit(byte)) return inFraction;
      return isExponent && state === inFraction ? afterExponent : undefined;
    case afterExponent:
      if (byte === 0x2b || byte === 0x2d) return afterExponentSign;
      return isDigit(byte) ? inExponent : undefined;
    case afterExponentSign:
    case inExponent:
      return isDigit(byte) ? inExponent : undefined;
    default:
      return undefined;
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}
