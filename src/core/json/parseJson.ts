import { isObject } from './shapes';
import { checkLevels, noteLevels } from './jsonLevels';
import { withWrittenNumbers } from './writtenNumbers';

const maxExcerptChars = 4096;

/** Text that should have been JSON. */
export class NotJson extends Error {
  /** Its first 4,096 characters, untrusted; `''` when there was nothing but white space. */
  readonly excerpt: string;

  constructor(text: string) {
    super('not JSON');
    this.name = 'NotJson';
    this.excerpt = text.slice(0, maxExcerptChars);
  }
}

/**
 * The JSON value that `text` is; a byte order mark and any white space around it are let pass.
 * @throws {NotJson | TooMuchJson} when it is nested too deeply
 */
export function parseJson(text: string): unknown {
  return parseFollowedJson(text, checkLevels(text));
}

/** The same, `undefined` for what is no JSON. @throws {TooMuchJson} */
export function jsonOrAbsent(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}

/**
 * The same for a text of which it is known that it is not nested too deeply, and perhaps how many levels
 * it has. @throws {NotJson}
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
 * Numbers are shown and sent on in what calls bring and are given, and not in other messages. By
 * its members: all messages are looked at, and looking for a word in their text costs more.
 */
function mayBeShown(value: unknown): boolean {
  if (!isObject(value) || value.jsonrpc === undefined) return true;
  const { result, params } = value;
  if (!isObject(result)) return isObject(params) && params.arguments !== undefined;
  // The last two hold an answer: in the form before the first revision, and of a task.
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
      // No byte order mark was the trouble: it is no JSON all the same.
    }
  }
  throw new NotJson(inner);
}
