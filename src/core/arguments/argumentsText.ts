import { isContainer } from '../json/leaves';
import { parseFollowedJson } from '../json/parseJson';
import { stringifyExactly } from '../json/writtenNumber';
import { visibleText } from '../visibleText';

export interface ArgumentsExcerpt {
  /** Compact JSON with every hidden character visible. */
  readonly text: string;
  /** How many characters of the compact JSON are not in `text`. */
  readonly restChars: number;
  /** How many lines of it are not; absent where `text` ends inside a line. */
  readonly restLines?: number;
}

/** How much of the arguments is shown. */
export interface ExcerptRoom {
  readonly lines: number;
  /** How many lines a text of one line is drawn on. */
  readonly linesOf: (line: string) => number;
}

/** Indenting what nobody reads as a whole would only cost time and memory. */
const maxIndentedChars = 1_000_000;

/** Deeper than people read; each level makes every line within it longer. */
const maxIndentedDepth = 200;

/** What stands on one line, its indentation included. */
const maxLineChars = 56;

/** One that is drawn higher is shown as far as there is room, rather than not at all. */
const maxUncutHeight = 2;

/** More than any dialog has room for. */
const maxExcerptChars = 1_500;

/** Compact JSON as people read it; unchanged where it is too large or too deep for that. */
export function indentedJson(json: string): string {
  if (!isReadable(json)) return json;
  return stringifyExactly(parseFollowedJson(json), 2);
}

/** The same, with short lists and objects on a line each. */
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

/** `before`: how many characters stand before it on its line. */
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

/** `undefined` where it takes more than `room` characters; looks at no more than that. */
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
 * The beginning of the arguments for a dialog, in which nothing is hidden: whole lines as
 * far as there is room, and the beginning of a long one. What is missing is counted exactly.
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

/** `whole` up to `end`, which is where a line begins, and so many characters of that line. */
function cut(whole: string, end: number, chars: number): ArgumentsExcerpt {
  const until = chars === 0 ? Math.max(0, end - 1) : end + chars;
  const isAll = end >= whole.length;
  const text = shown(whole.slice(0, isAll ? whole.length : until));
  if (isAll) return { text, restChars: 0, restLines: 0 };
  const restChars = whole.length - until;
  if (chars > 0) return { text, restChars };
  return { text, restChars, restLines: whole.slice(end).split('\n').length };
}

/** How many characters of the line are drawn on so many lines; never half of one. */
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

/** An escape has at most ten characters, so nothing is cut here. */
function shown(part: string): string {
  return visibleText(part, part.length * 10, { newlines: 'keep' });
}
