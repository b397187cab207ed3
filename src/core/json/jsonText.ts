import { randomUUID } from 'node:crypto';
import { bufferOf } from './bufferOf';
import { isObject, type UnknownObject } from './shapes';
import {
  closingBrace,
  closingBracket,
  colon,
  comma,
  isSpace,
  literalEnd,
  openingBrace,
  openingBracket,
} from './jsonCodes';
import { hasNumberTexts, numberTextOf } from './numberTexts';

/** Larger texts are shown as they came: laying them out would stop the editor for a moment. */
const maxFormattedChars = 1024 * 1024;
/** Deeper ones too, because indentation alone would make them grow without bound. */
const maxFormattedDepth = 64;

/**
 * Valid JSON laid out over several lines, every literal exactly as it was written, so that no
 * number changes. Text that is very long, very deep, or has lines of its own is returned as it is.
 */
export function formatJson(text: string): string {
  if (text.length > maxFormattedChars || text.trim().includes('\n')) return text;
  let out = '';
  let depth = 0;
  let isAfterOpening = false;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) {
      at += 1;
      continue;
    }
    const isClosing = code === closingBrace || code === closingBracket;
    const isOpening = code === openingBrace || code === openingBracket;
    if (isClosing) depth -= 1;
    if (isOpening && depth === maxFormattedDepth) return text;
    if (isClosing ? !isAfterOpening : isAfterOpening) out += lineBreaks[depth] ?? '\n';
    if (isOpening) depth += 1;
    isAfterOpening = isOpening;
    if (code === comma) out += `,${lineBreaks[depth] ?? '\n'}`;
    else if (code === colon) out += ': ';
    else {
      const end = isOpening || isClosing ? at + 1 : literalEnd(text, at);
      out += text.slice(at, end);
      at = end;
      continue;
    }
    at += 1;
  }
  return `${out}\n`;
}

const lineBreaks = Array.from({ length: maxFormattedDepth + 1 }, (_, n) => `\n${'  '.repeat(n)}`);

/**
 * A parsed value as laid out JSON text, its numbers as they were written; `undefined` for what has
 * no JSON, and for values nested so deeply that no JSON can be written of them.
 */
export function jsonTextOf(value: unknown): string | undefined {
  try {
    const compact = exactJson(value);
    return compact === undefined ? undefined : formatJson(compact);
  } catch {
    // Nested beyond the stack, or not a value that came from JSON.
    return undefined;
  }
}

/**
 * What `JSON.stringify` writes of a parsed value, with its numbers as they were written, and bytes
 * as base64. @throws {Error} when it is nested beyond the stack
 */
export function exactJson(value: unknown, indent?: number): string | undefined {
  const isPlain = !hasNumberTexts(value) && !(isObject(value) && holdsBytes(value));
  // Ten times as fast as with a function.
  if (isPlain) return JSON.stringify(value, undefined, indent);
  const mark = randomUUID();
  const replacer = function (this: object, key: string, json: unknown): unknown {
    return asReceived(this, key, json, mark);
  };
  return JSON.stringify(value, replacer, indent).replaceAll(
    new RegExp(`"${mark}:([^"]*)"`, 'g'),
    '$1',
  );
}

/** Bytes stand only where an answer has base64, which is not deep. */
function holdsBytes(value: UnknownObject, depth = 0): boolean {
  return Object.values(value).some(
    (item) =>
      item instanceof Uint8Array ||
      (depth < maxBytesDepth && isObject(item) && holdsBytes(item, depth + 1)),
  );
}

const maxBytesDepth = 3;

/** Bytes are what base64 became on its way in; those of Node have a form of their own in JSON. */
function asReceived(holder: object, key: string, json: unknown, mark: string): unknown {
  if (typeof json === 'number') {
    const written = numberTextOf(holder, key);
    return written === undefined ? json : `${mark}:${written}`;
  }
  const value: unknown = Reflect.get(holder, key);
  if (!(value instanceof Uint8Array)) return json;
  return bufferOf(value).toString('base64');
}
