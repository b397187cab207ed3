import { beginningOf } from '../content/textData';
import { bufferOf } from '../json/bufferOf';
import { boundedJson } from '../json/boundedJson';
import { bytesOf } from '../json/leaves';
import type { JsonValue } from '../json/jsonValue';
import { isSameJson } from '../json/sameJson';
import { isObject } from '../json/shapes';

const maxShownChars = 2_000;
/** Limits the text that is searched for secrets. */
const maxRedactedChars = 256 * 1024;

/** A very large text is represented as bytes. So is a picture, which equals no expectation. */
export function isSame(actual: unknown, expected: unknown): boolean {
  const bytes = bytesOf(actual);
  if (bytes === undefined) return isSameJson(actual, expected);
  return typeof expected === 'string' && Buffer.from(expected).equals(bytes);
}

/**
 * True if a string contains the expected one, a list contains an equal item, or an object contains
 * every expected member, whose values are compared in the same way. Other values have to be equal.
 */
export function contains(actual: unknown, expected: JsonValue): boolean {
  if (typeof expected === 'string') {
    if (typeof actual === 'string') return actual.includes(expected);
    // No decoding is needed: a match in UTF-8 is a match in the text.
    if (actual instanceof Uint8Array) return bufferOf(actual).includes(expected);
  }
  if (Array.isArray(actual)) {
    const items: readonly unknown[] = actual;
    return items.some((item) => isSame(item, expected));
  }
  if (!isObject(actual) || !isObject(expected)) return isSame(actual, expected);
  return Object.entries(expected).every(
    ([name, value]: [string, JsonValue]) =>
      Object.hasOwn(actual, name) && containsMember(actual[name], value),
  );
}

/** Strings inside an object have to be equal, because part of a name or id is a different one. */
function containsMember(actual: unknown, expected: JsonValue): boolean {
  return isObject(actual) && isObject(expected)
    ? contains(actual, expected)
    : isSame(actual, expected);
}

/** Formats the beginning of a value after `redact`; a whole answer is too long for a message. */
export function jsonText(value: unknown, redact = (text: string): string => text): string {
  const shown = value instanceof Uint8Array ? beginningOf(value, maxRedactedChars) : value;
  return redact(boundedJson(shown, maxRedactedChars)).slice(0, maxShownChars);
}
