import { randomUUID } from 'node:crypto';
import { endOfString } from './jsonLevels';
import { isContainer } from './leaves';
import { numberOf } from './writtenNumber';

/**
 * Returns `value`, which was parsed from `text`, with a `WrittenNumber` for each number that
 * JavaScript would write differently. May return another object.
 */
export function withWrittenNumbers(text: string, value: unknown): unknown {
  if (typeof value === 'number') return numberOf(text.trim());
  if (!isContainer(value)) return value;
  const marked = markedText(text);
  if (marked === undefined) return value;
  const parsed: unknown = JSON.parse(marked);
  putNumbers(parsed);
  return parsed;
}

/**
 * Matches numbers with many digits, a zero at the end of a fraction, many at its beginning, an
 * exponent; a negative zero. Also matches those within strings, but not `"2.0"`, which is in every
 * message.
 */
const maybeChanged =
  /[[:,\s]-?(?:\d{16}|0\.0{6}|\d+(?:\.\d{15}|\.\d*0(?!\d)|(?:\.\d+)?[eE]))|[[:,\s]-0(?![.\d])/g;
const restOfNumber = /[\d.eE+-]*/y;

/** Precedes a number in the parsed text; no server can guess it. */
const mark = `${randomUUID()}:`;

/** Returns `text` with a marked string for each such number; `undefined` if it has none. */
function markedText(text: string): string | undefined {
  let marked = '';
  let taken = 0;
  let quote = text.indexOf('"');
  maybeChanged.lastIndex = 0;
  for (let found = maybeChanged.exec(text); found !== null; found = maybeChanged.exec(text)) {
    // Skips the character before the number.
    const index = found.index + 1;
    let end = -1;
    for (; quote !== -1 && quote < index; quote = text.indexOf('"', end + 1)) {
      end = endOfString(text, quote);
    }
    if (end > index) {
      maybeChanged.lastIndex = end;
      continue;
    }
    restOfNumber.lastIndex = index;
    restOfNumber.exec(text);
    marked += `${text.slice(taken, index)}"${mark}${text.slice(index, restOfNumber.lastIndex)}"`;
    taken = restOfNumber.lastIndex;
    maybeChanged.lastIndex = taken;
  }
  return taken === 0 ? undefined : marked + text.slice(taken);
}

/** Not recursive, because servers choose the depth. */
function putNumbers(root: unknown): void {
  const open = isContainer(root) ? [root] : [];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const name in holder) {
      const member: unknown = Reflect.get(holder, name);
      if (isContainer(member)) open.push(member);
      else if (typeof member === 'string' && member.startsWith(mark)) {
        put(holder, name, numberOf(member.slice(mark.length)));
      }
    }
  }
}

function put(holder: object, name: string, value: unknown): void {
  // Assignment would set the prototype.
  if (name === '__proto__') Object.defineProperty(holder, name, { value });
  else Reflect.set(holder, name, value);
}
