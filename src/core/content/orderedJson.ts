import { createHash } from 'node:crypto';
import { toPointerStep } from '../json/jsonPointer';
import { parseFollowedJson } from '../json/parseJson';
import { RawJson } from '../json/rawJson';
import { bytesOf, isContainer } from '../json/shapes';
import { stringifyExactly } from '../json/writtenNumber';
import type { BinaryData, TextData } from '../types';
import { beginningOf, isJsonDocument } from './textKind';

/** Fields to ignore because they differ on every call: member names or JSON pointers. */
export type VolatileFields = readonly string[];

/** Limits all texts of one comparison together, because longer ones would block an editor. */
export const maxComparedChars = 4 * 1024 * 1024;
/** Replaces an ignored value, and precedes the hash of everything beyond the limit. */
export const ignoredValue = '…';

/** A text that is converted only when it is reached: to a value, to a list of lines, or not. */
export class DeferredText {
  constructor(readonly data: TextData) {}
}

/**
 * Writes `value` as indented JSON whose members are sorted by name. The values of `volatile` fields
 * are replaced, `dropped` fields are removed. Everything beyond 4 Mi characters is written as its
 * size and hash, so that different values never become equal texts. Never throws.
 */
export function orderedJson(
  value: unknown,
  volatile: VolatileFields,
  dropped: VolatileFields,
): string {
  return new OrderedJsonWriter(new Fields(volatile), new Fields(dropped)).write(value);
}

/** An array or object that is being written. */
interface Open {
  readonly holder: object;
  /** Absent where no field to ignore can be. */
  readonly pointer?: string;
  readonly closing: ']' | '}';
  /** The names of the members in their order; absent for an array. */
  readonly names?: readonly string[];
  readonly length: number;
  next: number;
  isEmpty: boolean;
}

/** Not recursive, because servers choose the depth. */
class OrderedJsonWriter {
  readonly #out = new BoundedOutput();
  readonly #open: Open[] = [];
  readonly #volatile: Fields;
  readonly #dropped: Fields;

  constructor(volatile: Fields, dropped: Fields) {
    this.#volatile = volatile;
    this.#dropped = dropped;
  }

  write(value: unknown): string {
    this.#begin(value, '');
    for (let innermost = this.#open.at(-1); innermost; innermost = this.#open.at(-1)) {
      if (innermost.next < innermost.length) this.#writeNext(innermost);
      else this.#end(innermost);
    }
    return this.#out.finish();
  }

  #writeNext(open: Open): void {
    const key = open.names?.[open.next] ?? String(open.next);
    open.next += 1;
    const name = open.names === undefined ? undefined : key;
    const pointer = this.#pointerOf(open.pointer, key);
    const value: unknown = Reflect.get(open.holder, key);
    if (name !== undefined && value === undefined) return;
    if (this.#dropped.has(pointer, name)) return;
    this.#out.add((open.isEmpty ? '' : ',') + this.#lineBreak());
    open.isEmpty = false;
    if (name !== undefined) this.#out.add(`${JSON.stringify(name)}: `);
    this.#begin(this.#volatile.has(pointer, name) ? ignoredValue : value, pointer);
  }

  /** Creates no pointers where none can match, because those of deep values are long. */
  #pointerOf(parent: string | undefined, key: string): string | undefined {
    const longest = Math.max(this.#volatile.longest, this.#dropped.longest);
    if (parent === undefined || parent.length >= longest) return undefined;
    return parent + toPointerStep(key);
  }

  /** Writes a leaf in full, and the beginning of an array or object. */
  #begin(value: unknown, pointer: string | undefined): void {
    const data = value instanceof DeferredText ? value.data : bytesOf(value);
    if (value instanceof DeferredText) this.#beginText(value.data, pointer);
    else if (data !== undefined) this.#begin(bytesFacts(data), pointer);
    else if (value instanceof RawJson) this.#begin(rawJsonFacts(value), pointer);
    else if (isContainer(value)) this.#beginContainer(value, pointer);
    else if (typeof value === 'string') this.#out.add(JSON.stringify(value));
    else this.#out.add(value === undefined ? 'null' : stringifyExactly(value));
  }

  #beginContainer(holder: object, pointer: string | undefined): void {
    const items: readonly unknown[] | undefined = Array.isArray(holder) ? holder : undefined;
    const isArray = items !== undefined;
    const names = isArray ? undefined : Object.keys(holder).toSorted();
    this.#out.add(isArray ? '[' : '{');
    this.#open.push({
      holder,
      ...(pointer === undefined ? {} : { pointer }),
      closing: isArray ? ']' : '}',
      ...(names === undefined ? {} : { names }),
      length: (items ?? names ?? []).length,
      next: 0,
      isEmpty: true,
    });
  }

  #end({ closing, isEmpty }: Open): void {
    this.#open.pop();
    this.#out.add((isEmpty ? '' : this.#lineBreak()) + closing);
  }

  /** Nothing is indented after the limit, because the indentation of deep values has no limit. */
  #lineBreak(): string {
    return this.#out.isFull ? '\n' : `\n${'  '.repeat(this.#open.length)}`;
  }

  #beginText(data: TextData, pointer: string | undefined): void {
    if (this.#out.isFull) {
      this.#out.leaveOut(data);
      return;
    }
    // Reads one character more than fits, to find out whether there are more.
    const text = beginningOf(data, maxComparedChars + 1);
    if (isJsonDocument(text)) this.#begin(jsonOf(text), pointer);
    else if (text.includes('\n')) this.#writeLines(data, text, pointer);
    else this.#writeString(data, text);
  }

  #writeString(data: TextData, text: string): void {
    this.#out.add(JSON.stringify(text));
    if (text.length > maxComparedChars) this.#out.leaveOut(data);
  }

  /** Writes a list of lines, and splits no more of the text than fits. */
  #writeLines(data: TextData, text: string, pointer: string | undefined): void {
    const lines = [];
    let start = 0;
    let chars = 0;
    while (start <= text.length && chars <= this.#out.room) {
      const end = text.indexOf('\n', start);
      const line = text.slice(start, end === -1 ? text.length : end);
      lines.push(end !== -1 && line.endsWith('\r') ? line.slice(0, -1) : line);
      chars += line.length + minLineChars;
      start = end === -1 ? text.length + 1 : end + 1;
    }
    this.#beginContainer(lines, pointer);
    // Fits into no list, so it is part of the hash, together with the lines that do not fit.
    if (start <= text.length) this.#out.leaveOut(data);
  }
}

/** A line of a list takes at least this many characters, with its quotation marks and indentation. */
const minLineChars = 12;

function jsonOf(text: string): unknown {
  const value = parseFollowedJson(text);
  return isContainer(value) ? value : text;
}

/** Collects text up to the limit, and the size and hash of everything after it. */
class BoundedOutput {
  readonly #left = new TextHash();
  #text = '';

  get room(): number {
    return maxComparedChars - this.#text.length;
  }

  get isFull(): boolean {
    return this.room <= 0;
  }

  add(piece: string): void {
    const { room } = this;
    if (piece.length > room) this.#left.add(piece.slice(room));
    if (room > 0) this.#text += room < piece.length ? piece.slice(0, room) : piece;
  }

  /** Adds the whole data to the hash only. */
  leaveOut(data: TextData): void {
    this.#left.add(data);
  }

  finish(): string {
    const facts = this.#left.finish();
    return facts === undefined ? `${this.#text}\n` : `${this.#text}\n${leftOutLine(facts)}\n`;
  }
}

const hashedChars = 64 * 1024;

class TextHash {
  readonly #hash = createHash('sha256');
  #bytes = 0;
  /** Pieces are hashed together, which is much faster for short ones. */
  #pending = '';

  add(data: TextData): void {
    if (typeof data !== 'string' || data.length > hashedChars) {
      this.#flush();
      this.#update(data);
    } else {
      this.#pending += data;
      if (this.#pending.length > hashedChars) this.#flush();
    }
  }

  /** Returns `undefined` if nothing was added. */
  finish(): DataFacts | undefined {
    this.#flush();
    return this.#bytes === 0 ? undefined : { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  #flush(): void {
    this.#update(this.#pending);
    this.#pending = '';
  }

  #update(data: TextData): void {
    this.#hash.update(data);
    this.#bytes += Buffer.byteLength(data);
  }
}

/** Stands for data that is not compared itself. */
interface DataFacts {
  readonly bytes: number;
  readonly sha256: string;
}

/** Formats a line that stands for everything that was left out. */
function leftOutLine(facts: DataFacts): string {
  return `${ignoredValue} ${JSON.stringify(facts)}`;
}

export function bytesFacts(data: BinaryData): DataFacts {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : data;
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Describes a value that is too large to compare. */
function rawJsonFacts({ byteLength, values, segments }: RawJson): object {
  const hash = createHash('sha256');
  for (const segment of segments) hash.update(segment);
  return { bytes: byteLength, values, sha256: hash.digest('hex') };
}

/**
 * Returns at most `maxChars` characters of a text for reading. A line with the size and hash of the
 * whole text follows if there are more.
 */
export function comparedBeginning(data: TextData, maxChars: number): string {
  const text = beginningOf(data, maxChars + 1).replaceAll('\r\n', '\n');
  if (text.length <= maxChars) return text;
  const whole = new TextHash();
  whole.add(data);
  const facts = whole.finish();
  return text.slice(0, maxChars) + (facts === undefined ? '' : `\n${leftOutLine(facts)}`);
}

/** Member names, which apply anywhere, and pointers from the top. */
class Fields {
  readonly #names: ReadonlySet<string>;
  readonly #pointers: ReadonlySet<string>;
  /** The length of the longest pointer. */
  readonly longest: number;

  constructor(fields: VolatileFields) {
    const pointers = fields.filter((field) => field.startsWith('/'));
    this.#names = new Set(fields.filter((field) => !field.startsWith('/')));
    this.#pointers = new Set(pointers);
    this.longest = pointers.reduce((most, { length }) => Math.max(most, length), 0);
  }

  /** @param name Absent for items of lists. */
  has(pointer: string | undefined, name?: string): boolean {
    return (
      (pointer !== undefined && this.#pointers.has(pointer)) ||
      (name !== undefined && this.#names.has(name))
    );
  }
}
