import { bytesOf } from './shapes';
import { WrittenNumber } from './writtenNumber';

/**
 * Writes `value` as compact JSON of at most `maxChars` characters and an ellipsis; for logs and
 * errors. Stops at that length, however large the value is. Bytes are written as their count, and
 * the values of members that `hides` names are omitted. Never throws.
 */
export function boundedJson(
  value: unknown,
  maxChars: number,
  hides?: (key: string, holder: unknown) => boolean,
): string {
  const text = new BoundedText(maxChars);
  try {
    writeJson(value, text, hides);
  } catch (error) {
    // A getter or a `toJSON` of a foreign object threw.
    return `(${error instanceof Error ? error.message : 'not serialisable'})`;
  }
  return text.finish();
}

/** An array or object that is being written. */
interface Open {
  readonly holder: object;
  readonly keys: Iterator<string>;
  readonly isArray: boolean;
  isEmpty: boolean;
}

class BoundedText {
  readonly maxChars: number;
  #text = '';

  constructor(maxChars: number) {
    this.maxChars = maxChars;
  }

  get isFull(): boolean {
    return this.#text.length > this.maxChars;
  }

  add(text: string): void {
    this.#text += text;
  }

  finish(): string {
    return this.isFull ? `${this.#text.slice(0, this.maxChars)}…` : this.#text;
  }
}

/** Not recursive, because servers choose the depth. */
function writeJson(
  root: unknown,
  text: BoundedText,
  hides: (key: string, holder: unknown) => boolean = () => false,
): void {
  const open: Open[] = [];
  begin(toJson(root, ''), text, open);
  for (let innermost = open.at(-1); innermost !== undefined; innermost = open.at(-1)) {
    if (text.isFull) return;
    const next = innermost.keys.next();
    if (next.done === true) {
      open.pop();
      text.add(innermost.isArray ? ']' : '}');
      continue;
    }
    const { holder, isArray } = innermost;
    const key = next.value;
    const held = hides(key, holder) ? '(hidden)' : toJson(Reflect.get(holder, key), key);
    const isAbsent = !isWritten(held);
    if (isAbsent && !isArray) continue;
    if (!innermost.isEmpty) text.add(',');
    innermost.isEmpty = false;
    if (!isArray) text.add(`${quoted(key, text.maxChars)}:`);
    begin(isAbsent ? null : held, text, open);
  }
}

function isWritten(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

function toJson(value: unknown, key: string): unknown {
  const bytes = bytesOf(value);
  if (bytes !== undefined) return `(${bytes.length} bytes)`;
  if (typeof value !== 'object' || value === null || value instanceof WrittenNumber) return value;
  const convert: unknown = Reflect.get(value, 'toJSON');
  return typeof convert === 'function' ? Reflect.apply(convert, value, [key]) : value;
}

/** Writes a leaf in full, and the beginning of an array or object. */
function begin(value: unknown, text: BoundedText, open: Open[]): void {
  if (typeof value === 'string') text.add(quoted(value, text.maxChars));
  else if (value instanceof WrittenNumber) text.add(value.text);
  else if (typeof value === 'object' && value !== null) {
    const isArray = Array.isArray(value);
    text.add(isArray ? '[' : '{');
    open.push({ holder: value, keys: keysOf(value), isArray, isEmpty: true });
  } else text.add(isWritten(value) ? JSON.stringify(value) : 'undefined');
}

/** Yields keys one by one, so that nothing is built for those that are not reached. */
function* keysOf(holder: object): Generator<string> {
  if (Array.isArray(holder)) {
    for (let index = 0; index < holder.length; index += 1) yield String(index);
    return;
  }
  for (const key in holder) if (Object.hasOwn(holder, key)) yield key;
}

function quoted(text: string, maxChars: number): string {
  return JSON.stringify(text.length > maxChars ? text.slice(0, maxChars + 1) : text);
}
