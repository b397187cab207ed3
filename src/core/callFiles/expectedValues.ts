import { beginningOf } from '../content/textKind';
import { bufferOf } from '../json/jsonLimits';
import { boundedJson } from '../json/boundedJson';
import { bytesOf, isContainer, isSameJson, isObject } from '../json/shapes';
import type { JsonValue, JsonObject } from '../json/jsonValue';
import { comparableJson, comparableText } from '../content/comparableResult';
import { ignoredValue as omitted } from '../content/orderedJson';
import { toPointerStep } from '../json/jsonPointer';
import { parseJson } from '../json/parseJson';
import type { ToolResult } from '../types';

const maxShownChars = 2_000;
/** Limits the text that is searched for secrets. */
const maxRedactedChars = 256 * 1024;

/** A very large text is represented as bytes. So is an image, which equals no expectation. */
export function equalsValue(actual: unknown, expected: unknown): boolean {
  const bytes = bytesOf(actual);
  if (bytes === undefined) return isSameJson(actual, expected);
  return typeof expected === 'string' && Buffer.from(expected).equals(bytes);
}

/**
 * True if a string contains the expected one, a list contains an equal item, or an object contains
 * every expected member, whose values are compared in the same way. Other values have to be equal.
 */
export function containsValue(actual: unknown, expected: JsonValue): boolean {
  if (typeof expected === 'string') {
    if (typeof actual === 'string') return actual.includes(expected);
    // No decoding is needed: a match in UTF-8 is a match in the text.
    if (actual instanceof Uint8Array) return bufferOf(actual).includes(expected);
  }
  if (Array.isArray(actual)) {
    const items: readonly unknown[] = actual;
    return items.some((item) => equalsValue(item, expected));
  }
  if (!isObject(actual) || !isObject(expected)) return equalsValue(actual, expected);
  return Object.entries(expected).every(
    ([name, value]: [string, JsonValue]) =>
      Object.hasOwn(actual, name) && containsMember(actual[name], value),
  );
}

/** Strings inside an object have to be equal, because part of a name or id is a different one. */
function containsMember(actual: unknown, expected: JsonValue): boolean {
  return isObject(actual) && isObject(expected)
    ? containsValue(actual, expected)
    : equalsValue(actual, expected);
}

/** Formats the beginning of a value after `redact`; a whole answer is too long for a message. */
export function jsonText(value: unknown, redact = (text: string): string => text): string {
  const shown = value instanceof Uint8Array ? beginningOf(value, maxRedactedChars) : value;
  return redact(boundedJson(shown, maxRedactedChars)).slice(0, maxShownChars);
}

/** Deeper levels are compared without looking for ignored values. */
const maxDepth = 500;

/** Both answers as complete, equally formatted texts. */
interface AnswerDifference {
  readonly expected: string;
  readonly actual: string;
}

/**
 * Compares a result with an expected answer in the format of `comparableText`, from a file (`text`)
 * or from the call file (`value`). Where the expected answer has `…`, any value is accepted; where
 * `ignored` names a field, it may also be missing. Returns `undefined` if they are equal, and
 * `notJson` if the text is not a JSON object. Never throws.
 */
export function differenceFromAnswer(
  expected: { readonly text: string } | { readonly value: JsonObject },
  result: ToolResult,
  ignored: readonly string[],
): AnswerDifference | 'notJson' | undefined {
  const written = 'text' in expected ? parse(expected.text) : expected.value;
  if (!isObject(written)) return 'notJson';
  const volatile = omittedIn(written);
  // Has an expectation of its own, and servers omit it.
  const isErrorLeft = written.isError === undefined && written.toolResult === undefined;
  const whole = isErrorLeft ? { ...written, isError: result.isError } : written;
  const wanted = comparableJson(whole, volatile, ignored);
  const actual = comparableText(result, volatile, ignored);
  if (wanted === actual) return undefined;
  // A call file spells some numbers differently.
  const respelled = 'value' in expected ? parse(wanted) : undefined;
  if (respelled !== undefined && isSameJson(respelled, parse(actual))) return undefined;
  return { expected: wanted, actual };
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // The caller reports that the text is not JSON.
    return undefined;
  }
}

/** Returns pointers to all values that were ignored when the answer was written. */
function omittedIn(value: unknown, pointer = '', depth = 0): readonly string[] {
  if (value === omitted) return [pointer];
  if (!isContainer(value) || depth > maxDepth) return [];
  return Object.entries(value).flatMap(([name, child]: [string, unknown]) =>
    omittedIn(child, pointer + toPointerStep(name), depth + 1),
  );
}
