import { comparableJson, comparableText, ignored as omitted } from '../content/comparableResult';
import { toStep } from '../json/jsonPointer';
import { isContainer } from '../json/leaves';
import { parseJson } from '../json/parseJson';
import { isSameJson } from '../json/sameJson';
import type { JsonObject } from '../json/jsonValue';
import { isObject } from '../json/shapes';
import type { ToolResult } from '../types';

/** Deeper ones are compared as they are. */
const maxDepth = 500;

/** Both answers in whole, laid out alike. */
export interface AnswerDifference {
  readonly expected: string;
  readonly actual: string;
}

/**
 * How a result differs from the answer that was written down before by `comparableText`, which
 * stands in a file (`text`) or in the call file (`value`). Where that has `…` for a value, anything may
 * come; where `ignored` says so by names and pointers, also nothing. `undefined`: not at all; `notJson`:
 * the text is no JSON object. Never throws.
 */
export function differenceFromAnswer(
  expected: { readonly text: string } | { readonly value: JsonObject },
  result: ToolResult,
  ignored: readonly string[],
): AnswerDifference | 'notJson' | undefined {
  const written = 'text' in expected ? parse(expected.text) : expected.value;
  if (!isObject(written)) return 'notJson';
  const volatile = omittedIn(written);
  // Whether the tool reports an error is an expectation of its own, and servers leave it out.
  const isErrorLeft = written.isError === undefined && written.toolResult === undefined;
  const whole = isErrorLeft ? { ...written, isError: result.isError } : written;
  const wanted = comparableJson(whole, volatile, ignored);
  const actual = comparableText(result, volatile, ignored);
  if (wanted === actual) return undefined;
  // A call file writes some numbers in another way.
  const isInline = 'value' in expected;
  if (isInline && isSameJson(parse(wanted), parse(actual))) return undefined;
  return { expected: wanted, actual };
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // Whoever asks learns that it is nothing to be compared with.
    return undefined;
  }
}

/** Pointers to everything that was left out when the answer was written. */
function omittedIn(value: unknown, pointer = '', depth = 0): readonly string[] {
  if (value === omitted) return [pointer];
  if (!isContainer(value) || depth > maxDepth) return [];
  return Object.entries(value).flatMap(([name, child]: [string, unknown]) =>
    omittedIn(child, pointer + toStep(name), depth + 1),
  );
}
