import { JsonFollower, isSoonFollowed, mayBeLarge } from './jsonFollower';
import { maxContentBytes, maxContentValues, TooMuchJson } from './jsonLimits';
import { RawJsonBuilder } from './rawJson';
import { LargeString } from './largeString';
import type { LargeForm } from './largeString';
import { LargeValues } from './largeValues';
import { openStringAt, textBefore } from './openString';
import type { OpenString } from './openString';
import { NotJson, parseFollowedJson, parseJson } from './parseJson';

/**
 * Smaller values are parsed without being followed: they hold nothing worth extracting, and no more
 * values than may be parsed at once.
 */
const minFollowedBytes = 256 * 1024;
/** Minimum size of a string that is extracted. */
const minStringBytes = 256 * 1024;

/** Enough for what is reported of a value that is not JSON. */
const maxReportedBytes = 64 * 1024;

/** Matches the key before a string that is the value of a member. */
const memberStart = /(?:"(\w+)"[ \t\r\n]*)?:[ \t\r\n]*"$/;
/** Keys whose values may be bytes. Spec: 2025-11-25 schema, TextContent, ImageContent and others */
const formOfKey: ReadonlyMap<string | undefined, LargeForm> = new Map([
  ['text', 'utf8'],
  ['data', 'base64'],
  ['blob', 'base64'],
]);

/** Structured content that has begun: its position, and the costs before it. */
interface Content {
  readonly part: number;
  readonly offset: number;
  readonly level: number;
  readonly cost: number;
  readonly escapeCost: number;
  /** Number of its bytes that were followed. */
  byteLength: number;
  /** Texts extracted from it, by the part that replaces each. */
  readonly texts: Map<Buffer, string>;
}

export interface AssemblerLimits {
  /** Maximum number of bytes pushed for one value; enforced by the caller. */
  readonly maxBytes: number;
  /** Maximum number of values that are parsed at once; less than 256 KiB never hold many. */
  readonly maxValues: number;
  /**
   * Larger values are always followed. Defaults to following those above 256 KiB that are worth it,
   * as described below.
   */
  readonly minFollowedBytes?: number;
  /** Defaults to 100,000. */
  readonly maxContentValues?: number;
}

/**
 * Assembles one JSON value from chunks. Chunks are kept unchanged until the value is complete,
 * except inside of very large strings and of structured content with very many values: those are
 * extracted piece by piece as they arrive, so that nothing is held twice and no chunk is processed
 * twice. The rest is counted meanwhile, and is never more than can be parsed at once.
 *
 * The value equals that of `JSON.parse`, with two differences: text and base64 of more than 256 KiB
 * are bytes in the places of `bytesPlace`, and structured content of very many values is `RawJson`.
 * Chunks must not be changed after they were pushed.
 */
export class JsonAssembler {
  readonly #limits: AssemblerLimits;
  /** The input of `JSON.parse`. */
  #parts: Buffer[] = [];
  #byteLength = 0;
  #follower: JsonFollower | undefined;
  /** Number of parts that the follower has seen. */
  #followed = 0;
  /** Number of parts that were searched for a reason to follow. */
  #looked = 0;
  /** Bytes that had arrived of an open string when it was found not worth extracting. */
  #refusedBytes = Infinity;
  /** The large string that the last chunk has left open. */
  #open: LargeString | undefined;
  #content: Content | undefined;
  /** The structured content that the last chunk has left open, if it is not parsed. */
  #kept: RawJsonBuilder | undefined;
  #large: LargeValues | undefined;
  #failure: SyntaxError | TooMuchJson | undefined;

  constructor(limits: AssemblerLimits) {
    this.#limits = limits;
  }

  /** Number of bytes of the value so far, as received. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /**
   * Returns the beginning of the value, at most `maxBytes` of it; `''` before any chunk arrived.
   */
  beginning(maxBytes: number): string {
    const text = beginningOf(this.#parts, maxBytes).toString();
    return this.#large?.beforeMarks(text) ?? text;
  }

  /** @throws {TooMuchJson} and from then on only the beginning of the value is kept */
  push(chunk: Buffer): void {
    this.#byteLength += chunk.length;
    if (this.#failure !== undefined) return;
    try {
      this.#take(chunk);
    } catch (error) {
      // From here on it is not JSON. The received data is kept for the report.
      this.#failure = error instanceof TooMuchJson ? error : new SyntaxError();
      this.#parts = [beginningOf(this.#parts, maxReportedBytes)];
      if (error instanceof TooMuchJson) throw error;
    }
  }

  /**
   * Returns the value and resets the assembler for the next one. @throws {NotJson | TooMuchJson}
   */
  end(): unknown {
    const large = this.#large;
    const failure = this.#failure;
    const follower = this.#follower;
    const isWhole = failure === undefined && this.#open === undefined && this.#kept === undefined;
    if (isWhole && follower === undefined) {
      return parseJson(this.#takeBytes(isWhole), this.#limits.maxValues);
    }
    // Only the text of a large value is held while it is parsed.
    const text = this.#takeBytes(isWhole).toString();
    if (failure instanceof TooMuchJson) throw failure;
    if (!isWhole) throw new NotJson((large?.beforeMarks(text) ?? text).trim());
    return large === undefined ? parseFollowedJson(text, follower?.maxLevel) : large.parse(text);
  }

  reset(): void {
    this.#parts = [];
    this.#byteLength = 0;
    this.#follower = undefined;
    this.#followed = 0;
    this.#looked = 0;
    this.#refusedBytes = Infinity;
    this.#open = undefined;
    this.#content = undefined;
    this.#kept = undefined;
    this.#large = undefined;
    this.#failure = undefined;
  }

  /** @throws {SyntaxError | TooMuchJson} */
  #take(chunk: Buffer): void {
    let part = chunk;
    if (this.#open !== undefined) {
      const end = this.#open.push(chunk);
      if (end === -1) return;
      this.#closeString(this.#open);
      part = chunk.subarray(end + 1);
    } else if (this.#kept !== undefined) {
      const end = this.#kept.push(chunk);
      if (end === -1) return;
      this.#closeContent(this.#kept);
      part = chunk.subarray(end);
    }
    this.#parts.push(part);
    if (this.#isWorthFollowing()) this.#follow();
  }

  /**
   * Following half a MiB with code that is not compiled yet takes three times as long as parsing
   * it. So a list of tools, for example, is not followed: nothing in it is worth extracting. Too many
   * values and nesting that is too deep are found at the end.
   */
  #isWorthFollowing(): boolean {
    if (this.#follower !== undefined) return true;
    const { minFollowedBytes: above = minFollowedBytes } = this.#limits;
    if (this.#byteLength <= above) return false;
    if (this.#limits.minFollowedBytes !== undefined) return true;
    if (!isSoonFollowed(this.#byteLength, this.#parts.length)) return true;
    for (; this.#looked < this.#parts.length; this.#looked += 1) {
      const part = this.#parts[this.#looked];
      if (part !== undefined && mayBeLarge(part, this.#parts[this.#looked - 1])) return true;
    }
    return false;
  }

  /** @throws {SyntaxError | TooMuchJson} */
  #follow(): void {
    const follower = (this.#follower ??= new JsonFollower());
    while (this.#followed < this.#parts.length) this.#followNext(follower);
    if (this.#content !== undefined && this.#isTooMuch(follower, this.#content)) {
      this.#kept = this.#takeContent(this.#content);
      return;
    }
    const { maxValues } = this.#limits;
    if (follower.cost > maxValues) throw new TooMuchJson('values', maxValues);
    const { openValueBytes } = follower;
    // The same string has become longer: do not search for its beginning again with every chunk.
    const wasRefused = openValueBytes > this.#refusedBytes;
    this.#refusedBytes = Infinity;
    if (openValueBytes < minStringBytes) return;
    const open = wasRefused ? undefined : openStringAt(openValueBytes, this.#parts);
    if (open === undefined || !this.#takeOut(open)) this.#refusedBytes = openValueBytes;
  }

  #followNext(follower: JsonFollower): void {
    let at = 0;
    for (let part = this.#parts[this.#followed]; part !== undefined;) {
      at = follower.follow(part, at);
      const { isInContent, level, cost, escapeCost } = follower;
      const content = this.#content;
      if (isInContent && content === undefined) {
        const place = { part: this.#followed, offset: at, level, cost, escapeCost };
        this.#content = { ...place, byteLength: -at, texts: new Map() };
      } else if (!isInContent && content !== undefined) {
        content.byteLength += at;
        if (this.#isTooMuch(follower, content)) {
          // The data after it has not been followed yet.
          const rest = [part.subarray(at), ...this.#parts.splice(this.#followed + 1)];
          this.#parts[this.#followed] = part.subarray(0, at);
          this.#closeContent(this.#takeContent(content));
          this.#parts.push(...rest);
          [part] = rest;
          at = 0;
        }
        this.#content = undefined;
      } else {
        if (content !== undefined) content.byteLength += part.length;
        break;
      }
    }
    this.#followed += 1;
  }

  #isTooMuch({ cost, escapeCost }: JsonFollower, content: Content): boolean {
    const { maxContentValues: values = maxContentValues } = this.#limits;
    const bytes = content.byteLength + escapeCost - content.escapeCost;
    return cost - content.cost > values || bytes > maxContentBytes;
  }

  /**
   * Moves the text of content that has begun out of the parts. @throws {SyntaxError | TooMuchJson}
   */
  #takeContent({ part, offset, level, texts }: Content): RawJsonBuilder {
    const builder = new RawJsonBuilder(level, this.#limits.maxBytes);
    const [first = Buffer.alloc(0), ...rest] = this.#parts.splice(part);
    this.#parts.push(first.subarray(0, offset));
    builder.push(first.subarray(offset));
    for (const each of rest) {
      const text = texts.get(each);
      if (text === undefined) builder.push(each);
      else {
        builder.pushText(text);
        builder.push(closingQuote);
      }
    }
    return builder;
  }

  #closeContent(builder: RawJsonBuilder): void {
    this.#large ??= new LargeValues();
    this.#parts.push(Buffer.from(`"${this.#large.addContent(builder.finish())}"`));
    this.#followed = this.#parts.length;
    if (this.#content !== undefined) this.#follower?.skipContent(this.#content.cost);
    this.#content = undefined;
    this.#kept = undefined;
  }

  /** Extracts an open string; returns false if it is not the value of a member. */
  #takeOut(open: OpenString): boolean {
    const member = memberStart.exec(textBefore(open, this.#parts));
    if (member === null) return false;
    const inside = this.#parts.splice(open.part);
    const [first = Buffer.alloc(0), ...rest] = inside;
    this.#parts.push(first.subarray(0, open.offset));
    const form = this.#content === undefined ? formOfKey.get(member[1]) : undefined;
    this.#open = new LargeString(form ?? 'text', this.#limits.maxBytes);
    for (const part of [first.subarray(open.offset), ...rest]) this.#open.push(part);
    return true;
  }

  #closeString(open: LargeString): void {
    this.#large ??= new LargeValues();
    const value = open.finish();
    const part = Buffer.from(`${this.#large.add(value, open.form)}"`);
    if (typeof value === 'string' && this.#content !== undefined) {
      this.#content.texts.set(part, value);
      // Its beginning was already counted.
      this.#content.byteLength += value.length - minStringBytes;
    }
    this.#parts.push(part);
    this.#open = undefined;
    this.#followed = this.#parts.length;
    this.#follower?.endString();
  }

  /** Returns all of the bytes, or the beginning, and releases the parts. */
  #takeBytes(isWhole: boolean): Buffer {
    const parts = isWhole ? this.#parts : [beginningOf(this.#parts, maxReportedBytes)];
    this.reset();
    const [first] = parts;
    return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
  }
}

/** Returns the first bytes of `parts`, at most `maxBytes` of them. */
function beginningOf(parts: readonly Buffer[], maxBytes: number): Buffer {
  const beginning: Buffer[] = [];
  let left = maxBytes;
  for (const part of parts) {
    if (left <= 0) break;
    beginning.push(part.subarray(0, left));
    left -= part.length;
  }
  return Buffer.concat(beginning);
}

const closingQuote = Buffer.from('"');
