import { maxContentBytes, maxContentValues } from './jsonLimits';
import { GrowingBytes } from './growingBytes';
import { JsonCheck } from './jsonCheck';

/** Enough for the white space before a value. */
const maxStartBytes = 1_000;

/**
 * A JSON array or object of so many values that it is kept as received text: a parsed value would
 * take many times its memory, and building it would block the editor.
 */
export class RawJson {
  // Private, so that code that looks up members of a value does not find them.
  readonly #segments: readonly (Uint8Array | string)[];
  readonly #byteLength: number;
  readonly #values: number;

  constructor(segments: readonly (Uint8Array | string)[], values: number) {
    this.#segments = segments;
    this.#byteLength = segments.reduce((sum, { length }) => sum + length, 0);
    this.#values = values;
  }

  /** UTF-8 as received. A string is part of a string of the JSON, and has no escapes. */
  get segments(): readonly (Uint8Array | string)[] {
    return this.#segments;
  }

  get isObject(): boolean {
    const [first = ''] = this.#segments;
    return Buffer.from(first.slice(0, maxStartBytes)).toString().trimStart().startsWith('{');
  }

  /** Number of bytes of the text; approximate where a segment is a string. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /** Number of values in it, nested ones included. */
  get values(): number {
    return this.#values;
  }

  /**
   * Used by code that shows any value as JSON, such as a log; documents are not written this way.
   */
  toJSON(): string {
    return `(${this.byteLength} bytes of JSON)`;
  }
}

/** Maximum cost of a value, with a new name. */
const costOfMember = 6;

/** Returns the reason why it is not validated against a schema, which would need a parsed value. */
export function uncheckedReason({ values, byteLength }: RawJson): string {
  // Names and escapes count too: content with fewer values or bytes may have been kept for them.
  const areFew = values * costOfMember < maxContentValues;
  return byteLength > maxContentBytes || areFew
    ? `${byteLength} bytes are too many to be checked`
    : `${values} values are too many to be checked`;
}

/** Collects the text of one array or object as it arrives, and checks that it is JSON. */
export class RawJsonBuilder {
  readonly #check: JsonCheck;
  readonly #segments: (Uint8Array | string)[] = [];
  readonly #maxBytes: number;
  #bytes: GrowingBytes | undefined;
  #canGrow = true;

  /**
   * @param level nesting level of the value's container
   * @param maxBytes maximum number of bytes that will arrive
   */
  constructor(level: number, maxBytes: number) {
    this.#check = new JsonCheck(level);
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns the index after the end of the value, or -1 if it continues. @throws {SyntaxError |
   * TooMuchJson}
   */
  push(part: Buffer): number {
    const end = this.#check.push(part);
    this.#keep(end === -1 ? part : part.subarray(0, end));
    return end;
  }

  /** Appends decoded text inside of a string whose quotes arrive through {@link push}. */
  pushText(text: string): void {
    this.#settle();
    this.#segments.push(text);
  }

  finish(): RawJson {
    this.#settle();
    return new RawJson(this.#segments, this.#check.values);
  }

  #keep(part: Buffer): void {
    const bytes = this.#growing();
    const room = bytes?.withRoom(part.length);
    if (bytes !== undefined && room !== undefined) bytes.length += part.copy(room, bytes.length);
    else {
      this.#settle();
      this.#segments.push(part);
    }
  }

  #growing(): GrowingBytes | undefined {
    if (this.#bytes !== undefined || !this.#canGrow) return this.#bytes;
    try {
      this.#bytes = new GrowingBytes(this.#maxBytes);
    } catch {
      // No address range of that size is available: separate parts take more memory, but work as
      // well.
      this.#canGrow = false;
    }
    return this.#bytes;
  }

  #settle(): void {
    if (this.#bytes !== undefined && this.#bytes.length > 0) {
      this.#segments.push(this.#bytes.finish());
      this.#bytes = undefined;
    }
  }
}
