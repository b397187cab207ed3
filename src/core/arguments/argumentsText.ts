import { isContainer } from '../json/leaves';
import { parseFollowedJson } from '../json/parseJson';
import { stringifyExactly } from '../json/writtenNumber';
import { visibleText } from '../visibleText';

export interface ArgumentsExcerpt {
  /** Compact JSON with all hidden characters made visible. */
  readonly text: string;
  /** The number of characters of the compact JSON that are not in `text`. */
  readonly restChars: number;
  /** The number of lines that are missing. Absent if `text` ends within a line. */
  readonly restLines?: number;
}

/** The space for an excerpt. */
export interface ExcerptRoom {
  readonly lines: number;
  /** Returns the number of screen lines that one line of text takes. */
  readonly linesOf: (line: string) => number;
}

/** Larger texts are not indented, which would take time and memory. */
const maxIndentedChars = 1_000_000;

/** Each level makes every line within it longer. */
const maxIndentedDepth = 200;

/** Includes the indentation. */
const maxLineChars = 56;

/** A line that takes more screen lines is shown in part rather than not at all. */
const maxUncutHeight = 2;

/** More than fits in a dialog. */
const maxExcerptChars = 1_500;

/** Indents compact JSON, unless it is too large or too deep. */
export function indentedJson(json: string): string {
  if (!isReadable(json)) return json;
  return stringifyExactly(parseFollowedJson(json), 2);
}

/** Does the same with short lists and objects on a single line. */
export function compactJson(json: string): string {
  if (!isReadable(json)) return json;
  return compact(parseFollowedJson(json), '', 0);
}

function isReadable(json: string): boolean {
  return json.length <= maxIndentedChars && depthOf(json) <= maxIndentedDepth;
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

/** @param before The number of characters before the value on its line. */
function compact(value: unknown, indentation: string, before: number): string {
  if (!isContainer(value)) return stringifyExactly(value);
  const short = onOneLine(value, maxLineChars - before);
  if (short !== undefined) return short;
  const inner = `${indentation}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Array.isArray(value)
    ? value.map((each: unknown) => `${inner}${compact(each, inner, inner.length)}`)
    : Object.entries(value).map(([name, each]: [string, unknown]) => {
        const start = `${inner}${JSON.stringify(name)}: `;
        return `${start}${compact(each, inner, start.length)}`;
      });
  return members.length === 0
    ? `${open}${close}`
    : `${open}\n${members.join(',\n')}\n${indentation}${close}`;
}

/** Formats on one line. Returns `undefined` as soon as it takes more than `room` characters. */
function onOneLine(value: unknown, room: number): string | undefined {
  if (room < 1) return undefined;
  if (typeof value === 'string' && value.length > room) return undefined;
  if (!isContainer(value)) return bounded(stringifyExactly(value), room);
  const isList = Array.isArray(value);
  const members: string[] = [];
  let left = room;
  for (const name in value) {
    const start = isList ? '' : `${JSON.stringify(name)}: `;
    const found = Object.getOwnPropertyDescriptor(value, name);
    const member = onOneLine(found?.value, left - start.length);
    if (member === undefined) return undefined;
    members.push(start + member);
    left -= start.length + member.length + 2;
  }
  if (members.length === 0) return isList ? '[]' : '{}';
  const text = isList ? `[${members.join(', ')}]` : `{ ${members.join(', ')} }`;
  return bounded(text, room);
}

function bounded(text: string, room: number): string | undefined {
  return text.length <= room ? text : undefined;
}

/**
 * Returns the beginning of the arguments for a dialog, with nothing hidden: as many whole
 * lines as fit, and the beginning of a long one. The counts of what is missing are exact.
 */
export function argumentsExcerpt(json: string, { lines, linesOf }: ExcerptRoom): ArgumentsExcerpt {
  const whole = compactJson(json);
  let left = lines;
  let end = 0;
  while (end < whole.length && end < maxExcerptChars) {
    const newline = whole.indexOf('\n', end);
    const lineEnd = newline < 0 ? whole.length : newline;
    const line = whole.slice(end, Math.min(lineEnd, end + maxExcerptChars));
    const height = line.length < lineEnd - end ? Infinity : linesOf(shown(line));
    if (height > left) {
      const isLong = height > maxUncutHeight;
      return cut(whole, end, isLong && left > 0 ? fitting(line, left, linesOf) : 0);
    }
    left -= height;
    end = lineEnd + 1;
  }
  return cut(whole, Math.min(end, whole.length), 0);
}

/** Cuts `whole` at `end`, which is the start of a line, plus `chars` characters of that line. */
function cut(whole: string, end: number, chars: number): ArgumentsExcerpt {
  const until = chars === 0 ? Math.max(0, end - 1) : end + chars;
  const isAll = end >= whole.length;
  const text = shown(whole.slice(0, isAll ? whole.length : until));
  if (isAll) return { text, restChars: 0, restLines: 0 };
  const restChars = whole.length - until;
  if (chars > 0) return { text, restChars };
  return { text, restChars, restLines: whole.slice(end).split('\n').length };
}

/**
 * Returns how many characters of the line fit on that many screen lines, never half a character.
 */
function fitting(line: string, lines: number, linesOf: (line: string) => number): number {
  let [least, most] = [0, line.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (linesOf(shown(line.slice(0, middle))) <= lines) least = middle;
    else most = middle - 1;
  }
  const isInsideCharacter = /[\uD800-\uDBFF]$/.test(line.slice(0, least));
  return isInsideCharacter ? least - 1 : least;
}

/** An escape has at most ten characters, so it is never cut here. */
function shown(part: string): string {
  return visibleText(part, part.length * 10, { newlines: 'keep' });
}
