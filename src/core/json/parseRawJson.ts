import { WorkTurns } from '../bounds/workTurns';
import {
  bufferOf,
  backslash,
  closingBracket,
  colon,
  comma,
  openingBrace,
  openingBracket,
  quote,
} from './jsonLimits';
import type { RawJson } from './rawJson';
import type { JsonValue } from './jsonValue';
import { numberOf, type WrittenNumber } from './writtenNumber';

/** A value with more would use too much of the memory that all extensions share. */
const maxBuiltValues = 2_000_000;
/** Number of bytes that are read between checks of the clock. */
const sliceBytes = 16 * 1024;

/**
 * Builds the value that `parseJson` would return, in turns; for callers that need the value.
 * `undefined` for more than 2,000,000 values.
 */
export async function parseRawJson(
  kept: RawJson,
  toNumber: ReadNumber = numberOf,
): Promise<JsonValue | undefined> {
  if (kept.values > maxBuiltValues) return undefined;
  const maker = new ValueMaker(toNumber);
  const turns = new WorkTurns();
  for (const segment of kept.segments) {
    if (typeof segment === 'string') {
      maker.pushText(segment);
      continue;
    }
    for (let at = 0; at < segment.length; at += sliceBytes) {
      maker.push(bufferOf(segment.subarray(at, at + sliceBytes)));
      if (turns.isOver) await turns.giveWay();
    }
  }
  return maker.value;
}

/** An array, or an object with the name of its next member. */
type Open =
  | { readonly list: JsonValue[] }
  | { readonly object: Record<string, JsonValue>; name: string | undefined };

/** Converts the text of a number. */
export type ReadNumber = (text: string) => number | WrittenNumber;

/** Builds a value from valid JSON that arrives in parts. */
class ValueMaker {
  readonly #open: Open[] = [];
  /** Parts of the string, number or word that has not ended. */
  #parts: Buffer[] = [];
  #text = '';
  #isInString = false;
  #isEscaped = false;
  value: JsonValue | undefined;
  readonly #toNumber: ReadNumber;

  constructor(toNumber: ReadNumber) {
    this.#toNumber = toNumber;
  }

  push(bytes: Buffer): void {
    let start = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === backslash) this.#isEscaped = true;
        else if (byte === quote) {
          this.#takeString(bytes.subarray(start, at));
          start = at + 1;
        }
      } else if (byte === quote) {
        this.#isInString = true;
        start = at + 1;
      } else if (isStructure(byte) || byte <= 0x20) {
        this.#takeWord(bytes.subarray(start, at));
        if (byte === openingBrace) this.#open.push({ object: {}, name: undefined });
        else if (byte === openingBracket) this.#open.push({ list: [] });
        else if (byte !== comma && byte !== colon && byte > 0x20) this.#close();
        start = at + 1;
      }
    }
    if (start < bytes.length) this.#parts.push(bytes.subarray(start));
  }

  /** Appends text to a string, without escapes. */
  pushText(text: string): void {
    this.#text += this.#unescaped() + text;
  }

  #unescaped(): string {
    const text = Buffer.concat(this.#parts).toString();
    this.#parts = [];
    return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
  }

  #takeString(last: Buffer): void {
    this.#parts.push(last);
    const text = this.#text + this.#unescaped();
    this.#text = '';
    this.#isInString = false;
    const innermost = this.#open.at(-1);
    if (innermost !== undefined && 'object' in innermost && innermost.name === undefined) {
      innermost.name = text;
    } else this.#add(text);
  }

  #takeWord(last: Buffer): void {
    if (last.length === 0 && this.#parts.length === 0) return;
    const word =
      this.#parts.length === 0
        ? last.toString('latin1')
        : Buffer.concat([...this.#parts, last]).toString('latin1');
    this.#parts = [];
    this.#add(/^[-\d]/.test(word) ? this.#toNumber(word) : JSON.parse(word));
  }

  #close(): void {
    const closed = this.#open.pop();
    if (closed === undefined) return;
    if ('list' in closed) this.#add(closed.list);
    else this.#add(closed.object);
  }

  #add(value: JsonValue): void {
    const innermost = this.#open.at(-1);
    if (innermost === undefined) this.value = value;
    else if ('list' in innermost) innermost.list.push(value);
    else {
      setMember(innermost.object, innermost.name ?? '', value);
      innermost.name = undefined;
    }
  }
}

function setMember(object: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name !== '__proto__') object[name] = value;
  else {
    const member = { value, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(object, name, member);
  }
}

function isStructure(byte: number): boolean {
  return (
    byte === comma ||
    byte === colon ||
    (byte | 0x20) === openingBrace ||
    (byte & ~0x20) === closingBracket
  );
}
