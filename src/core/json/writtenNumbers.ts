import { randomUUID } from 'node:crypto';
import { endOfString } from './jsonLevels';
import { isContainer } from './leaves';
import { numberOf } from './writtenNumber';

/**
 * `value`, which `text` was parsed to, with a `WrittenNumber` in the place of each number that
 * JavaScript would write in other words. May be another object.
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
 * Numbers with many digits, a zero at the end of a fraction, many at its beginning, an exponent; a
 * negative zero. Also those within strings, but not `"2.0"`, which stands in every message.
 */
const maybeChanged =
  /[[:,\s]-?(?:\d{16}|0\.0{6}|\d+(?:\.\d{15}|\.\d*0(?!\d)|(?:\.\d+)?[eE]))|[[:,\s]-0(?![.\d])/g;
const restOfNumber = /[\d.eE+-]*/y;

/** Stands before a number in what is parsed; no server can guess it. */
const mark = `${randomUUID()}:`;

/** `text` with a marked string in the place of each such number; `undefined` where it has none. */
function markedText(text: string): string | undefined {
  let marked = '';
  let taken = 0;
  let quote = text.indexOf('"');
  maybeChanged.lastIndex = 0;
  for (let found = maybeChanged.exec(text); found !== null; found = maybeChanged.exec(text)) {
    // Behind the sign before it.
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

/** Without recursion: depth is for the server to choose. */
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
  // Setting it would take this for something else.
  if (name === '__proto__') Object.defineProperty(holder, name, { value });
  else Reflect.set(holder, name, value);
}
