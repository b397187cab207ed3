import { hash as hashOf } from 'node:crypto';
import { jsonOrAbsent } from '../../core/json/parseJson';
import { isObject } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { maxStringChars, type EntryContent, type JournalEntry } from './entry';
import { parseContent } from './entry';

/**
 * A line of a segment: `{"line":2,"at":…,"previous":"…",…,"sum":"…"}`. `previous` is the SHA-256 of
 * the whole previous line, and `sum` that of this line up to it, so that a change shows at the
 * changed line, even at the last one.
 */

/** Longer lines were not written by Toolgate and are not read. It also limits arguments. */
export const maxLineBytes = 1024 * 1024;

const sumLength = 64;
const sumStart = ',"sum":"';
/** From the comma before the sum to the end of the line. */
const tailBytes = sumStart.length + sumLength + '"}'.length;

export function sha256(data: string | Uint8Array): string {
  return hashOf('sha256', data);
}

export interface NewLine {
  /** Without its newline. */
  readonly text: string;
  readonly hash: string;
}

/**
 * Strings of a line that is too long are cut to this, because 100 of them at the usual limit can
 * take more than a mebibyte: JSON writes a control character as six bytes.
 */
const fewChars = 200;
/** Leaves room for the number, the time and the sums. */
const maxContentBytes = maxLineBytes - 1_024;

/** Returns the line of an entry. Long strings are cut, but not arguments. */
export function toLine({ line, at, previous, content }: JournalEntry): NewLine {
  const chain = previous === undefined ? '' : `"previous":"${previous}",`;
  const members = contentJson(content).slice(1, -1);
  const body = `{"line":${line},"at":${at},${chain}${members}`;
  const text = `${body}${sumStart}${sha256(body)}"}`;
  return { text, hash: sha256(text) };
}

function contentJson(content: EntryContent): string {
  const whole = stringifyExactly(content);
  // In nearly every case, so that no string can be too long.
  if (whole.length <= maxStringChars) return whole;
  const usual = stringifyExactly(bounded(content, maxStringChars));
  if (Buffer.byteLength(usual) <= maxContentBytes) return usual;
  return stringifyExactly(bounded(content, fewChars));
}

/** Cuts long strings, except in recorded arguments. */
function bounded(value: object, maxChars: number): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]: [string, unknown]) => [
      key,
      key === 'arguments' ? member : boundedValue(member, maxChars),
    ]),
  );
}

function boundedValue(value: unknown, maxChars: number): unknown {
  if (typeof value === 'string') {
    return value.length > maxChars ? `${value.slice(0, maxChars)}…` : value;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => boundedValue(item, maxChars));
  return typeof value === 'object' && value !== null ? bounded(value, maxChars) : value;
}

/** The result of reading a line. */
export type ReadLine =
  | { readonly kind: 'entry'; readonly entry: JournalEntry; readonly hash: string }
  /** An intact line of a newer version; its place in the chain is known. */
  | {
      readonly kind: 'unknown';
      readonly line: number;
      readonly at: number;
      readonly previous?: string;
      readonly hash: string;
    }
  /** The line was changed. */
  | { readonly kind: 'damaged'; readonly hash: string };

/** Reads one line without its newline. Never throws. */
export function readLine(bytes: Uint8Array): ReadLine {
  const hash = sha256(bytes);
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, Math.max(0, bytes.length - tailBytes));
  const tail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(
    'latin1',
    body.length,
  );
  if (tail !== `${sumStart}${sha256(body)}"}`) return { kind: 'damaged', hash };
  const value = jsonOrAbsent(`${body.toString('utf8')}}`);
  if (!isObject(value)) return { kind: 'damaged', hash };
  const { line, at, previous } = value;
  if (typeof line !== 'number' || typeof at !== 'number') return { kind: 'damaged', hash };
  const frame = { line, at, ...(typeof previous === 'string' ? { previous } : {}) };
  const content: EntryContent | undefined = parseContent(value);
  if (content === undefined) return { kind: 'unknown', ...frame, hash };
  return { kind: 'entry', entry: { ...frame, content }, hash };
}
