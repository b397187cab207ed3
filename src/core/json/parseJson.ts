import { isObject } from './shapes';
import { checkLevels, noteLevels } from './jsonLevels';
import { withWrittenNumbers } from './writtenNumbers';

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
 * Parses `text` as JSON; ignores a byte order mark and any white space around it.
 * @throws {NotJson | TooMuchJson} when it is nested too deeply
 */
export function parseJson(text: string): unknown {
  return parseFollowedJson(text, checkLevels(text));
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
  return mayBeShown(value) ? withWrittenNumbers(text, value) : value;
}

/**
 * True if the numbers of a message may be shown or sent on: those in results and arguments of
 * calls. Decided by its members, because every message is checked, and searching its text would
 * cost more.
 */
function mayBeShown(value: unknown): boolean {
  if (!isObject(value) || value.jsonrpc === undefined) return true;
  const { result, params } = value;
  if (!isObject(result)) return isObject(params) && params.arguments !== undefined;
  // The last two hold an answer: in the format before the first revision, and of a task.
  return (
    result.content !== undefined ||
    result.structuredContent !== undefined ||
    result.toolResult !== undefined ||
    isObject(result.result)
  );
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
