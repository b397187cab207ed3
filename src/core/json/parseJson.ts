import { isObject, isContainer, type UnknownObject } from './shapes';
import { checkCosts, noteLevels, endOfString } from './jsonLevels';
import { randomUUID } from 'node:crypto';
import { numberOf } from './writtenNumber';
import type { Node } from 'jsonc-parser';
import type { JsonValue } from './jsonValue';

const maxExcerptChars = 4096;

/** Error for text that should have been JSON. */
export class NotJson extends Error {
  /** Its first 4,096 characters, untrusted; `''` if it was only white space. */
  readonly excerpt: string;

  constructor(text: string) {
    super('not JSON');
    this.name = 'NotJson';
    this.excerpt = text.slice(0, maxExcerptChars);
  }
}

/**
 * Parses JSON, as text or in UTF-8; ignores a byte order mark and any white space around it.
 * @throws {NotJson | TooMuchJson} when it is nested too deeply, or has more values
 */
export function parseJson(json: string | Buffer, maxValues?: number): unknown {
  const levels = checkCosts(json, maxValues);
  return parseFollowedJson(json.toString(), levels);
}

/** Parses `text` as JSON; returns `undefined` if it is not JSON. @throws {TooMuchJson} */
export function jsonOrAbsent(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}

/**
 * Parses a text that is known not to be nested too deeply; `levels` is its number of levels, if
 * known. @throws {NotJson}
 */
export function parseFollowedJson(text: string, levels?: number): unknown {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return parseOddJson(text);
  }
  noteLevels(value, levels);
  return value;
}

function parse(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return mayBeShown(value) ? withPlainEnvelope(withWrittenNumbers(text, value), value) : value;
}

/**
 * True if the numbers of a message may be shown or sent on: those in results and arguments of
 * calls, and ids of the other side, which are sent back. Decided by its members, because every
 * message is checked, and searching its text would cost more.
 */
function mayBeShown(value: unknown): boolean {
  if (!isObject(value) || value.jsonrpc === undefined) return true;
  const { id, method, result, params } = value;
  if (typeof method === 'string' && typeof id === 'number') return true;
  if (!isObject(result)) {
    if (!isObject(params)) return false;
    // The second is the result of a task, in `notifications/tasks`.
    return (
      params.arguments !== undefined || isObject(params.result) || isRoundedId(params.requestId)
    );
  }
  // The last two hold an answer: in the format before the first revision, and of a task.
  return (
    result.content !== undefined ||
    result.structuredContent !== undefined ||
    result.toolResult !== undefined ||
    isObject(result.result)
  );
}

/**
 * Puts back what is neither shown nor sent on from `plain`, the same value without any
 * `WrittenNumber`: ids of answers, and what is beside the arguments or result in params. Java
 * servers write `1.0`, which must match the `1` of a request. In a batch, puts back whole messages,
 * so that they are the same as outside of a batch. Changes `exact`.
 */
function withPlainEnvelope(exact: unknown, plain: unknown): unknown {
  if (exact === plain) return exact;
  if (Array.isArray(exact) && Array.isArray(plain)) {
    for (const [index, item] of plain.entries()) {
      if (mayBeShown(item)) putPlainEnvelope(exact[index], item);
      else exact[index] = item;
    }
  } else putPlainEnvelope(exact, plain);
  return exact;
}

function putPlainEnvelope(exact: unknown, plain: unknown): void {
  if (!isObject(exact) || !isObject(plain) || plain.jsonrpc === undefined) return;
  const { id, method } = plain;
  if (typeof method !== 'string' && Number.isSafeInteger(id)) Reflect.set(exact, 'id', id);
  const { params } = exact;
  if (isObject(params) && isObject(plain.params)) {
    Reflect.set(exact, 'params', withShownMembers(plain.params, params));
  }
}

/** Returns the plain params of a message with those that `mayBeShown` names as written. */
function withShownMembers(plain: UnknownObject, exact: UnknownObject): UnknownObject {
  const params: { [name: string]: unknown } = { ...plain };
  if (plain.arguments !== undefined) params.arguments = exact.arguments;
  if (isObject(plain.result)) params.result = exact.result;
  if (isRoundedId(plain.requestId)) params.requestId = exact.requestId;
  return params;
}

/** True for a number that may stand for several ids. */
function isRoundedId(id: unknown): boolean {
  return typeof id === 'number' && !Number.isSafeInteger(id);
}

function parseOddJson(text: string): unknown {
  const inner = text.replace(/^\uFEFF/, '').trim();
  if (inner !== '' && inner.length < text.length) {
    try {
      return parse(inner);
    } catch {
      // The byte order mark or white space was not the cause: it is not JSON.
    }
  }
  throw new NotJson(inner);
}

/**
 * Returns `value`, which was parsed from `text`, with a `WrittenNumber` for each number that
 * JavaScript would write differently. May return another object.
 */
function withWrittenNumbers(text: string, value: unknown): unknown {
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
 * message, and some numbers that JavaScript writes as received.
 */
const maybeChanged =
  /[[:,\s]-?(?:(?=[\d.]{17})\d+\.\d|\d{16}|0\.0{6}|\d+(?:\.\d{15}|\.\d*0(?!\d)|(?:\.\d+)?[eE]))|[[:,\s]-0(?![.\d])/g;
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
    const number = text.slice(index, restOfNumber.lastIndex);
    maybeChanged.lastIndex = restOfNumber.lastIndex;
    if (typeof numberOf(number) === 'number') continue;
    marked += `${text.slice(taken, index)}"${mark}${number}"`;
    taken = restOfNumber.lastIndex;
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

/**
 * Returns the value of `node` in the tree parsed from `text`. The parser's own values are not used:
 * they lose a property called `__proto__`, and digits of numbers.
 */
export function jsoncValue(node: Node, text: string): JsonValue {
  const { type, children = [], offset, length } = node;
  const value: unknown = node.value;
  if (type === 'array') return children.map((child) => jsoncValue(child, text));
  if (type === 'number') return numberOf(text.slice(offset, offset + length));
  if (type !== 'object')
    return typeof value === 'string' || typeof value === 'boolean' ? value : null;
  return Object.fromEntries(
    children.flatMap(({ children: [name, member] = [] }) =>
      name === undefined || member === undefined
        ? []
        : [[String(name.value), jsoncValue(member, text)]],
    ),
  );
}
