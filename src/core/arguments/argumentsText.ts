import { visibleText } from '../visibleText';

export interface ArgumentsExcerpt {
  /** Indented JSON with every hidden character visible. */
  readonly text: string;
  /** How many characters of the indented JSON are not in `text`. */
  readonly restChars: number;
}

const maxExcerptLines = 20;
const maxExcerptChars = 1_000;
/** Escapes make text longer; a dialog must not grow out of the window by them. */
const maxShownChars = 1_500;
/** Indenting what nobody reads as a whole would only cost time and memory. */
const maxIndentedChars = 1_000_000;

/** Deeper than people read; each level makes every line within it longer. */
const maxIndentedDepth = 200;

/** Compact JSON as people read it; unchanged where it is too large or too deep for that. */
export function indentedJson(json: string): string {
  if (json.length > maxIndentedChars || depthOf(json) > maxIndentedDepth) return json;
  return JSON.stringify(JSON.parse(json), undefined, 2);
}

function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/**
 * The beginning of the arguments for a dialog: at most 20 lines and 1,000 characters, in which
 * nothing is hidden. The number of characters that are missing is exact.
 */
export function argumentsExcerpt(json: string): ArgumentsExcerpt {
  const whole = indentedJson(json);
  let length = Math.min(whole.length, maxExcerptChars, endOfLine(whole, maxExcerptLines));
  let text = shown(whole.slice(0, length));
  while (text.length > maxShownChars) {
    length = Math.floor((length * maxShownChars) / text.length) - 1;
    text = shown(whole.slice(0, length));
  }
  const isInsideCharacter = /[\uD800-\uDBFF]$/.test(whole.slice(0, length));
  if (isInsideCharacter && length < whole.length) {
    length -= 1;
    text = shown(whole.slice(0, length));
  }
  return { text, restChars: whole.length - length };
}

/** An escape has at most ten characters, so nothing is cut here. */
function shown(part: string): string {
  return visibleText(part, part.length * 10, { newlines: 'keep' });
}

function endOfLine(text: string, count: number): number {
  let end = -1;
  for (let line = 0; line < count; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) return text.length;
  }
  return end;
}
