import { isDeepStrictEqual } from 'node:util';
import { beginningOf } from '../content/textData';
import type { SchemaValidator } from '../schema/schema';
import type { ToolResult } from '../types';
import type { Expectation } from './callFile';
import { KeptJson, whyUnchecked } from '../json/keptJson';
import { findValue, toStep } from '../json/jsonPointer';

/** Something that was expected and is not so. */
export interface Failure {
  readonly code:
    | 'isError'
    | 'isNoError'
    | 'schema'
    | 'schemaUnusable'
    | 'noStructuredContent'
    | 'value'
    | 'missing';
  /** Which line of `expect` says so, as a pointer into it. */
  readonly pointer: string;
  /** For `value` and `missing`, what was expected; JSON. */
  readonly expected?: string;
  /** For `value`, what is there: JSON of a server, untrusted. */
  readonly actual?: string;
  /** For schemas, what they say. */
  readonly detail?: string;
}

/** Everything that a result does not bring of what was expected of it; empty means passed. */
export function judge(
  { isError = false, schema, values }: Expectation,
  result: ToolResult,
  validator: Pick<SchemaValidator, 'validate'>,
): readonly Failure[] {
  const failures: Failure[] = [];
  if (result.isError !== isError) {
    failures.push({ code: isError ? 'isNoError' : 'isError', pointer: '/isError' });
  }
  if (schema !== undefined) failures.push(...schemaFailures(schema, result, validator));
  const { content, structuredContent } = result;
  const whole = {
    content,
    isError: result.isError,
    ...(structuredContent === undefined ? {} : { structuredContent }),
  };
  for (const { pointer, steps, value } of values) {
    const found = findValue(whole, steps);
    if (found.isThere && isSame(found.value, value)) continue;
    const place = { pointer: `/values${toStep(pointer)}`, expected: JSON.stringify(value) };
    failures.push(
      found.isThere
        ? { code: 'value', ...place, actual: jsonText(found.value) }
        : { code: 'missing', ...place },
    );
  }
  return failures;
}

function schemaFailures(
  schema: Exclude<Expectation['schema'], undefined>,
  { structuredContent }: ToolResult,
  validator: Pick<SchemaValidator, 'validate'>,
): readonly Failure[] {
  const pointer = '/schema';
  if (structuredContent === undefined) return [{ code: 'noStructuredContent', pointer }];
  if (structuredContent instanceof KeptJson) {
    return [{ code: 'schemaUnusable', pointer, detail: whyUnchecked(structuredContent) }];
  }
  const verdict = validator.validate(schema, structuredContent);
  if (verdict.kind === 'valid') return [];
  if (verdict.kind === 'unusable') {
    return [{ code: 'schemaUnusable', pointer, detail: verdict.reason.detail }];
  }
  const [first] = verdict.violations;
  return [{ code: 'schema', pointer, detail: first?.message ?? '' }];
}

/** A very large text is bytes; so is a picture, which no expectation equals. */
function isSame(actual: unknown, expected: unknown): boolean {
  if (!(actual instanceof Uint8Array)) return isDeepStrictEqual(actual, expected);
  return typeof expected === 'string' && Buffer.from(expected).equals(actual);
}

const maxShownChars = 2_000;

/** The beginning of a value; a whole answer would make no sentence. */
function jsonText(value: unknown): string {
  try {
    const shown = value instanceof Uint8Array ? beginningOf(value, maxShownChars) : value;
    return (JSON.stringify(shown) ?? '').slice(0, maxShownChars);
  } catch {
    // Deeper than the stack, or longer than a string can be.
    return '…';
  }
}
