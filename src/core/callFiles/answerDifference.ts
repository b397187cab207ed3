import { comparableJson, comparableText, ignored as omitted } from '../content/comparableResult';
import { toStep } from '../json/jsonPointer';
import { isContainer } from '../json/leaves';
import { parseJson } from '../json/parseJson';
import { isSameJson } from '../json/sameJson';
import type { JsonObject } from '../json/jsonValue';
import { isObject } from '../json/shapes';
import type { ToolResult } from '../types';

/** Deeper levels are compared without looking for ignored values. */
const maxDepth = 500;

/** Both answers as complete, equally formatted texts. */
export interface AnswerDifference {
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
  const isInline = 'value' in expected;
  if (isInline && isSameJson(parse(wanted), parse(actual))) return undefined;
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
    omittedIn(child, pointer + toStep(name), depth + 1),
  );
}
