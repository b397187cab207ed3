import { LargeString } from './largeString';
import type { LargeForm } from './largeString';
import { LargeValues } from './largeValues';
import { looksInsideString, StringFollower, textBefore } from './openString';
import type { OpenString } from './openString';
import { NotJson, parseJson } from './parseJson';

/** What makes a string worth taking out; into less, nobody looks before it is whole. */
const minStringBytes = 256 * 1024;

/** A string that is the value of a member, and its key. */
const memberStart = /(?:"(\w+)"[ \t\r\n]*)?:[ \t\r\n]*"$/;
/** Keys of what may be bytes. Spec: 2025-11-25 schema, TextContent, ImageContent and others */
const formOfKey: ReadonlyMap<string | undefined, LargeForm> = new Map([
  ['text', 'utf8'],
  ['data', 'base64'],
  ['blob', 'base64'],
]);

/**
 * Makes one JSON value of the chunks that it comes in. Chunks are kept as they are until the value
 * is whole, except inside of very large strings: those are decoded piece by piece as they come, so
 * that nothing is held twice and no chunk costs more than itself.
 *
 * The value is what `JSON.parse` would give, with one difference: text and base64 of more than
 * 256 KiB are bytes in the places of `bytesPlace`. Chunks must not be changed after they were pushed.
 */
export class JsonAssembler {
  readonly #maxBytes: number;
  /** What `JSON.parse` will see. */
  #parts: Buffer[] = [];
  #byteLength = 0;
  #follower = new StringFollower();
  /** The large string that the last chunk has left open. */
  #open: LargeString | undefined;
  #large: LargeValues | undefined;
  #isBroken = false;

  /** @param maxBytes the most that will be pushed for one value; this is for the caller to see to */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Of the value so far, as it came. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /** How the value begins, at most `maxBytes` of it; `''` before anything came. */
  beginning(maxBytes: number): string {
    return this.#parts[0]?.toString('utf8', 0, maxBytes) ?? '';
  }

  push(chunk: Buffer): void {
    this.#byteLength += chunk.length;
    if (this.#isBroken) return;
    try {
      this.#take(chunk);
    } catch {
      // Whatever comes now, it is no JSON. What came is kept for the report.
      this.#isBroken = true;
    }
  }

  /** The value; another one can be pushed then. @throws {NotJson} */
  end(): unknown {
    const large = this.#large;
    const isWhole = !this.#isBroken && this.#open === undefined;
    const text = this.#takeText(isWhole);
    if (!isWhole) throw new NotJson(text.trim());
    return large === undefined ? parseJson(text) : large.parse(text);
  }

  reset(): void {
    this.#parts = [];
    this.#byteLength = 0;
    this.#follower = new StringFollower();
    this.#open = undefined;
    this.#large = undefined;
    this.#isBroken = false;
  }

  /** @throws {SyntaxError} */
  #take(chunk: Buffer): void {
    let part = chunk;
    if (this.#open !== undefined) {
      const end = this.#open.push(chunk);
      if (end === -1) return;
      this.#close(this.#open);
      part = chunk.subarray(end + 1);
    }
    this.#parts.push(part);
    if (this.#byteLength <= minStringBytes || !looksInsideString(part)) return;
    const open = this.#follower.follow(this.#parts);
    if (open !== undefined && open.byteLength >= minStringBytes) this.#takeOut(open);
  }

  #takeOut(open: OpenString): void {
    const member = memberStart.exec(textBefore(open, this.#parts));
    // It may be a key, or one of many in an array: those stay where they are.
    if (member === null) return;
    const inside = this.#parts.splice(open.part);
    const [first = Buffer.alloc(0), ...rest] = inside;
    this.#parts.push(first.subarray(0, open.offset));
    this.#open = new LargeString(formOfKey.get(member[1]) ?? 'text', this.#maxBytes);
    for (const part of [first.subarray(open.offset), ...rest]) this.#open.push(part);
  }

  #close(open: LargeString): void {
    this.#large ??= new LargeValues();
    this.#parts.push(Buffer.from(`${this.#large.add(open.finish(), open.form)}"`));
    this.#open = undefined;
    this.#follower.skipTo(this.#parts.length);
  }

  /** All of it, or its beginning; the bytes are free before the text is looked at. */
  #takeText(isWhole: boolean): string {
    const parts = isWhole ? this.#parts : this.#parts.slice(0, 1);
    this.reset();
    const [first] = parts;
    return (parts.length === 1 && first !== undefined ? first : Buffer.concat(parts)).toString();
  }
}
