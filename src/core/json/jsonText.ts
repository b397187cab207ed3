import { withWrittenBytes } from './writtenBytes';
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
import { stringifyExactly } from './writtenNumber';

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
 * as the text that came. @throws {Error} when it is nested beyond the stack
 */
export function exactJson(value: unknown, indent?: number): string | undefined {
  return stringifyExactly(withWrittenBytes(value), indent);
}
