import { beginningOf } from '../content/textData';
import { bufferOf } from '../json/bufferOf';
import { boundedJson } from '../json/boundedJson';
import { bytesOf } from '../json/leaves';
import type { JsonValue } from '../json/jsonValue';
import { isSameJson } from '../json/sameJson';
import { isObject } from '../json/shapes';

const maxShownChars = 2_000;
/** As many are looked through for what is not to be shown. */
const maxRedactedChars = 256 * 1024;

/** A very large text is bytes; so is a picture, which no expectation equals. */
export function isSame(actual: unknown, expected: unknown): boolean {
  const bytes = bytesOf(actual);
  if (bytes === undefined) return isSameJson(actual, expected);
  return typeof expected === 'string' && Buffer.from(expected).equals(bytes);
}

/**
 * Whether a text holds the expected one, a list an item that is the same, an object every expected
 * member, whose values are held against each other in the same way. Anything else contains itself.
 */
export function contains(actual: unknown, expected: JsonValue): boolean {
  if (typeof expected === 'string') {
    if (typeof actual === 'string') return actual.includes(expected);
    // Not decoded: what is found in UTF-8 is found in the text.
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

/** Within an object a text is the whole text: part of a name or an id is another one. */
function containsMember(actual: unknown, expected: JsonValue): boolean {
  return isObject(actual) && isObject(expected)
    ? contains(actual, expected)
    : isSame(actual, expected);
}

/** The beginning of a value, as `redact` leaves it; a whole answer would make no sentence. */
export function jsonText(value: unknown, redact = (text: string): string => text): string {
  const shown = value instanceof Uint8Array ? beginningOf(value, maxRedactedChars) : value;
  return redact(boundedJson(shown, maxRedactedChars)).slice(0, maxShownChars);
}
