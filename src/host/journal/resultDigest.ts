import { createHash, hash as hashOf, type Hash } from 'node:crypto';
import { bytesOf, isContainer } from '../../core/json/shapes';
import { RawJson } from '../../core/json/rawJson';
import type { ToolResult } from '../../core/types';
import type { Fingerprint } from '../consent/facts/fingerprints';

/**
 * Number of characters or bytes that are hashed between checks of the clock, in less than a
 * millisecond.
 */
const sliceLength = 256 * 1024;
/** Shorter texts are joined before hashing, because each piece costs a microsecond. */
const smallLength = 1_024;
const gatheredLength = 16 * 1024;
/** Larger answers are hashed in a later turn of the event loop. */
const atOnceLength = 16 * 1024;
/** A small answer has no more levels. */
const maxSmallLevels = 64;
/** Longest time without a pause, a tenth of what users notice. */
const longestStretchMs = 5;
/** Larger than a message at the highest setting. */
const maxLength = 512 * 1024 * 1024;

export interface ResultDigestOptions {
  /** Yields to other work. Defaults to waiting for the next turn of the event loop. */
  readonly pause?: () => Promise<void>;
  /** Limit in hashed characters and bytes. Defaults to 512 Mi. */
  readonly maxLength?: number;
}

/**
 * Returns the SHA-256 of a tool's answer: content, structuredContent and isError as received,
 * including the order of keys, without `_meta`. Works in slices with pauses, so that large answers
 * block nothing. Returns `undefined` above the limit.
 */
export async function resultDigest(
  { content, structuredContent, isError }: ToolResult,
  options: ResultDigestOptions = {},
): Promise<Fingerprint | undefined> {
  const small = new SmallStream();
  if (small.add({ content, structuredContent, isError }, maxSmallLevels)) {
    return hashOf('sha256', small.text);
  }
  const pause = options.pause ?? nextRound;
  // Most answers are one slice, which is hashed in half the time on its own.
  let first: Token = '';
  let hash: Hash | undefined;
  let length = 0;
  let pausedAt: number | undefined;
  for (const piece of slicesOf(tokensOf({ content, structuredContent, isError }))) {
    length += piece.length;
    if (length > (options.maxLength ?? maxLength)) return undefined;
    const isDue =
      pausedAt === undefined
        ? length > atOnceLength
        : performance.now() - pausedAt >= longestStretchMs;
    if (isDue) {
      await pause();
      pausedAt = performance.now();
    }
    if (length === piece.length) first = piece;
    else (hash ??= createHash('sha256').update(first)).update(piece);
  }
  return hash?.digest('hex') ?? hashOf('sha256', first);
}

/** As {@link tokensOf} makes it, for answers that are small: nearly all are, and this takes a third of the time. */
class SmallStream {
  text = '';

  /** Returns false if the value is not small; `text` is meaningless then. */
  add(value: unknown, levels: number): boolean {
    if (typeof value === 'string') this.text += `s${value.length};${value}`;
    else if (bytesOf(value) !== undefined || value instanceof RawJson || levels === 0) return false;
    else if (Array.isArray(value)) {
      this.text += `a${value.length};`;
      for (const item of value) if (!this.add(item, levels - 1)) return false;
    } else if (isContainer(value)) return this.#addMembers(value, levels);
    else this.text += `v${String(value)};`;
    return this.text.length <= atOnceLength;
  }

  #addMembers(value: object, levels: number): boolean {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    this.text += `o${members.length};`;
    for (const [name, member] of members) {
      this.text += `s${name.length};${name}`;
      if (!this.add(member, levels - 1)) return false;
    }
    return this.text.length <= atOnceLength;
  }
}

type Token = string | Uint8Array;

/**
 * Yields a value as text and bytes. Every value begins with its type and its length, so that
 * different values have different streams. Not recursive, so any depth is possible.
 */
function* tokensOf(root: object): Generator<Token> {
  const open: Iterator<unknown>[] = [[root].values()];
  for (let innermost = open.at(-1); innermost !== undefined; innermost = open.at(-1)) {
    const next = innermost.next();
    if (next.done === true) {
      open.pop();
      continue;
    }
    const value: unknown = next.value;
    const bytes = bytesOf(value);
    if (typeof value === 'string') {
      yield `s${value.length};`;
      yield value;
    } else if (bytes !== undefined) {
      yield `b${bytes.length};`;
      yield bytes;
    } else if (value instanceof RawJson) {
      yield `j${value.byteLength};`;
      yield* value.segments;
    } else if (Array.isArray(value)) {
      yield `a${value.length};`;
      open.push(value.values());
    } else if (isContainer(value)) {
      const members = Object.entries(value).filter(([, member]) => member !== undefined);
      yield `o${members.length};`;
      open.push(flattened(members));
    } else yield `v${String(value)};`;
  }
}

function* flattened(members: readonly (readonly [string, unknown])[]): Generator {
  for (const [key, member] of members) {
    yield key;
    yield member;
  }
}

/** Yields the same stream in larger slices: small ones joined, large ones cut. */
function* slicesOf(tokens: Iterable<Token>): Generator<Token> {
  let gathered = '';
  for (const token of tokens) {
    if (typeof token === 'string' && token.length < smallLength) {
      gathered += token;
      if (gathered.length < gatheredLength) continue;
      yield gathered;
      gathered = '';
      continue;
    }
    yield gathered;
    gathered = '';
    for (let start = 0; start < token.length;) {
      const slice = sliceAt(token, start);
      yield slice;
      start += slice.length;
    }
  }
  yield gathered;
}

function sliceAt(token: Token, start: number): Token {
  const end = start + sliceLength;
  if (typeof token !== 'string') return token.subarray(start, end);
  // Does not cut surrogate pairs, whose halves would become the same replacement character.
  return token.slice(start, isHighSurrogate(token.charCodeAt(end - 1)) ? end - 1 : end);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
