import { beginningOf } from '../content/textData';
import type { SchemaViolation, ToolResult } from '../types';
import type { Expectation } from './callFile';

const maxToldViolations = 5;
/** Limits the part of an error text that is shown. */
const maxErrorChars = 1_000;
/** Limits the part of an error text that is searched for secrets before it is cut. */
const maxRedactedChars = 64 * 1024;

interface OutcomeFailure {
  readonly code: 'isError' | 'isNoError' | 'outputSchema' | 'outputMissing' | 'noViolation';
  readonly pointer: string;
  readonly detail?: string;
}

/** Checks whether the tool reported an error as expected. */
export function errorFailures(
  { isError = false }: Expectation,
  result: ToolResult,
  redact = (text: string): string => text,
): readonly OutcomeFailure[] {
  if (result.isError === isError) return [];
  const pointer = '/isError';
  if (isError) return [{ code: 'isNoError', pointer }];
  const texts = result.content.flatMap((block) =>
    block.type === 'text' ? [beginningOf(block.text, maxRedactedChars)] : [],
  );
  const said = redact(texts.join('\n').slice(0, maxRedactedChars)).slice(0, maxErrorChars).trim();
  return [{ code: 'isError', pointer, ...(said === '' ? {} : { detail: said }) }];
}

/** Checks the duration of the call. */
export function slowFailures(
  { underMs }: Expectation,
  { durationMs }: { readonly durationMs: number },
): readonly { code: 'slow'; pointer: string; expected: string; actual: string }[] {
  if (underMs === undefined || durationMs < underMs) return [];
  const [expected, actual] = [String(underMs), String(durationMs)];
  return [{ code: 'slow', pointer: '/under', expected, actual }];
}

/**
 * Checks the answer against the tool's `outputSchema`.
 * @param violations Empty if structured content is missing, absent if there is no violation.
 */
export function outputFailures(
  { schemaViolations = false }: Expectation,
  violations: readonly SchemaViolation[] | undefined,
): readonly OutcomeFailure[] {
  const pointer = '/schemaViolations';
  if (violations === undefined) return schemaViolations ? [{ code: 'noViolation', pointer }] : [];
  if (schemaViolations) return [];
  if (violations.length === 0) return [{ code: 'outputMissing', pointer }];
  const told = violations.slice(0, maxToldViolations);
  const detail = told.map(({ pointer: at, message }) => `${at} ${message}`.trim()).join('; ');
  return [{ code: 'outputSchema', pointer, detail }];
}
