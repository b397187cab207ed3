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

/** Larger texts are shown unformatted: formatting them would block the editor for a moment. */
const maxFormattedChars = 1024 * 1024;
/** Deeper texts too, because indentation alone would make them grow without bound. */
const maxFormattedDepth = 64;

/**
 * Formats valid JSON over several lines and keeps every literal as written, so that no number
 * changes. Text that is very long, very deep, or already has several lines is returned unchanged.
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
 * Formats a parsed value as JSON text, with numbers as written; `undefined` for a value that has no
 * JSON, or is nested too deeply to be written.
 */
export function jsonTextOf(value: unknown): string | undefined {
  try {
    const compact = exactJson(value);
    return compact === undefined ? undefined : formatJson(compact);
  } catch {
    // Nested deeper than the stack allows, or not a value that came from JSON.
    return undefined;
  }
}

/**
 * Writes a parsed value like `JSON.stringify`, with numbers as written, and bytes as the received
 * text. @throws {Error} when it is nested deeper than the stack allows
 */
export function exactJson(value: unknown, indent?: number): string | undefined {
  return stringifyExactly(withWrittenBytes(value), indent);
}
