import { maxContentBytes, maxContentValues } from './jsonLimits';
import { GrowingBytes } from './growingBytes';
import { JsonCheck } from './jsonCheck';

/** Enough for the white space before a value. */
const maxStartBytes = 1_000;

/**
 * A JSON array or object of so many values that it is kept as the text that it came as: a value
 * made of it would take many times its memory, and stop the editor while it is made.
 */
export class RawJson {
  // Not members of its own, so that nobody who looks up members of a value finds them.
  readonly #segments: readonly (Uint8Array | string)[];
  readonly #byteLength: number;
  readonly #values: number;

  constructor(segments: readonly (Uint8Array | string)[], values: number) {
    this.#segments = segments;
    this.#byteLength = segments.reduce((sum, { length }) => sum + length, 0);
    this.#values = values;
  }

  /** UTF-8 as it came. A string stands within a string of the JSON, and has no escapes any more. */
  get segments(): readonly (Uint8Array | string)[] {
    return this.#segments;
  }

  get isObject(): boolean {
    const [first = ''] = this.#segments;
    return Buffer.from(first.slice(0, maxStartBytes)).toString().trimStart().startsWith('{');
  }

  /** Of the text, roughly where a segment is a string. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /** Values in it, those within others included. */
  get values(): number {
    return this.#values;
  }

  /** For what shows any value as JSON, such as a log; nothing makes a document this way. */
  toJSON(): string {
    return `(${this.byteLength} bytes of JSON)`;
  }
}

/** The most that a value can count for, with a name that was not there before. */
const costOfMember = 6;

/** Why nothing is known of it by any schema: that would take a value. */
export function whyUnchecked({ values, byteLength }: RawJson): string {
  // Names and escapes count, too: content with fewer values or bytes may have been kept for them.
  const areFew = values * costOfMember < maxContentValues;
  return byteLength > maxContentBytes || areFew
    ? `${byteLength} bytes are too many to be checked`
    : `${values} values are too many to be checked`;
}

/** Takes the text of one array or object as it comes, and looks whether it is JSON. */
export class RawJsonBuilder {
  readonly #check: JsonCheck;
  readonly #segments: (Uint8Array | string)[] = [];
  readonly #maxBytes: number;
  #bytes: GrowingBytes | undefined;
  #canGrow = true;

  /** @param level of what the value stands in; @param maxBytes the most that will come */
  constructor(level: number, maxBytes: number) {
    this.#check = new JsonCheck(level);
    this.#maxBytes = maxBytes;
  }

  /** The index after the end of the value, or -1 while it goes on. @throws {SyntaxError | TooMuchJson} */
  push(part: Buffer): number {
    const end = this.#check.push(part);
    this.#keep(end === -1 ? part : part.subarray(0, end));
    return end;
  }

  /** What stands at this place, inside of a string of which the quotes come by {@link push}. */
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
      // No range of addresses of that size: parts take more memory, and are as good.
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
