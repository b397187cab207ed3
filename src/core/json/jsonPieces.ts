import { StringDecoder } from 'node:string_decoder';
import { bufferOf } from './jsonLimits';
import { RawJson } from './rawJson';
import { bytesOf, isContainer } from './shapes';
import { WrittenNumber } from './writtenNumber';

/** Approximate length of a piece in characters: made in well below a millisecond. */
const pieceLength = 64 * 1024;
/** Bytes encoded as base64 at once: whole groups of three, so that the pieces can be joined. */
const base64Bytes = 48 * 1024;

/** Represents in a value the text whose UTF-8 it holds. */
export class Utf8Text {
  constructor(readonly bytes: Uint8Array) {}
}

/**
 * Writes a value parsed from JSON as compact JSON text, in pieces of about 64 Ki characters, so
 * that a value of any size can be written without blocking. Bytes become the text that the server
 * wrote (`writtenBytes`). Not recursive, however deep the value is; members that are `undefined`
 * are omitted. With `indent`, lines are indented by that many spaces a level.
 */
export function* jsonPieces(root: unknown, indent = 0): Generator<string> {
  let gathered = '';
  for (const token of tokensOf(root, indent)) {
    gathered += token;
    if (gathered.length < pieceLength) continue;
    yield gathered;
    gathered = '';
  }
  if (gathered !== '') yield gathered;
}

/** An array or object that is being written. */
interface Open {
  readonly members: Iterator<readonly [key: string | undefined, value: unknown]>;
  readonly end: string;
  isEmpty: boolean;
}

function* tokensOf(root: unknown, indent: number): Generator<string> {
  const open: Open[] = [];
  const lineBreak = (): string => (indent === 0 ? '' : `\n${' '.repeat(indent * open.length)}`);
  yield* begin(root, open, indent);
  for (let innermost = open.at(-1); innermost !== undefined; innermost = open.at(-1)) {
    const next = innermost.members.next();
    if (next.done === true) {
      open.pop();
      yield (innermost.isEmpty ? '' : lineBreak()) + innermost.end;
      continue;
    }
    const [key, value] = next.value;
    yield (innermost.isEmpty ? '' : ',') + lineBreak();
    innermost.isEmpty = false;
    if (key !== undefined) yield `${JSON.stringify(key)}:${indent === 0 ? '' : ' '}`;
    yield* begin(value, open, indent);
  }
}

/** Writes a leaf in full, and the beginning of an array or object. */
function* begin(value: unknown, open: Open[], indent: number): Generator<string> {
  const bytes = bytesOf(value);
  if (typeof value === 'string') yield* stringTokens(value);
  else if (value instanceof WrittenNumber) yield value.text;
  else if (value instanceof Utf8Text) yield* utf8Tokens(value.bytes);
  else if (value instanceof RawJson) yield* keptTokens(value);
  else if (bytes !== undefined) yield* base64Tokens(bytes);
  else if (isSmall(value)) yield smallText(value, open.length, indent);
  else if (Array.isArray(value)) {
    yield '[';
    open.push({ members: itemsOf(value), end: ']', isEmpty: true });
  } else if (typeof value === 'object' && value !== null) {
    yield '{';
    open.push({ members: membersOf(value), end: '}', isEmpty: true });
  } else yield value === undefined ? 'null' : JSON.stringify(value);
}

/** Values with at most this many members are written at once: a small part of a piece. */
const maxSmallValues = 64;
const maxSmallChars = 256;

/** True for most values: they are written at once, which costs half as much. */
function isSmall(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const left: object[] = [value];
  let values = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (isLarge(next)) return false;
    const members: unknown[] = Array.isArray(next) ? next : Object.values(next);
    values += members.length;
    if (values > maxSmallValues) return false;
    for (const member of members) {
      if (typeof member === 'string' && member.length > maxSmallChars) return false;
      if (typeof member === 'object' && member !== null) left.push(member);
    }
  }
  return true;
}

function smallText(value: unknown, level: number, indent: number): string {
  const text = JSON.stringify(value, undefined, indent);
  return indent === 0 ? text : text.replaceAll('\n', `\n${' '.repeat(indent * level)}`);
}

function isLarge(value: object): boolean {
  return !isContainer(value) || value instanceof Utf8Text;
}

function* itemsOf(items: readonly unknown[]): Generator<readonly [undefined, unknown]> {
  for (const item of items) yield [undefined, item];
}

function* membersOf(value: object): Generator<readonly [string, unknown]> {
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) yield [key, asWritten(key, member)];
  }
}

/** Returns the server's text for bytes below this name, if known. */
function asWritten(key: string, value: unknown): unknown {
  return key === 'text' && value instanceof Uint8Array ? new Utf8Text(value) : value;
}

function* stringTokens(text: string): Generator<string> {
  if (text.length <= pieceLength) {
    yield JSON.stringify(text);
    return;
  }
  yield '"';
  yield* insideTokens(text);
  yield '"';
}

function* insideTokens(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = endOfSlice(text, start + pieceLength);
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
}

/** Avoids splitting a surrogate pair, whose halves would be written as escapes. */
function endOfSlice(text: string, end: number): number {
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}

function* utf8Tokens(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  yield '"';
  for (let start = 0; start < bytes.length; start += pieceLength) {
    const text = decoder.decode(bytes.subarray(start, start + pieceLength), { stream: true });
    yield JSON.stringify(text).slice(1, -1);
  }
  yield JSON.stringify(decoder.decode()).slice(1);
}

function* base64Tokens(all: Buffer): Generator<string> {
  yield '"';
  for (let start = 0; start < all.length; start += base64Bytes) {
    yield all.toString('base64', start, start + base64Bytes);
  }
  yield '"';
}

/** Yields the text as received, never splitting a character. */
function* keptTokens({ segments }: RawJson): Generator<string> {
  const decoder = new StringDecoder('utf8');
  for (const segment of segments) {
    if (typeof segment === 'string') {
      yield* insideTokens(segment);
      continue;
    }
    for (let start = 0; start < segment.length; start += pieceLength) {
      yield decoder.write(bufferOf(segment.subarray(start, start + pieceLength)));
    }
  }
  yield decoder.end();
}
