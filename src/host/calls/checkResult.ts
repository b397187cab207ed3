import { RawJson, uncheckedReason } from '../../core/json/rawJson';
import type { SchemaValidator } from '../../core/schema/schema';
import type { SchemaViolation, ToolResult } from '../../core/types';
import type { CallOutcome } from './call';
import type { ToolEntry } from '../connections/snapshot';

export const noViolations: readonly SchemaViolation[] = [];

/** Returns the result with its problems. A result with problems is still shown. */
export function checkResult(
  validator: Pick<SchemaValidator, 'validate'>,
  entry: ToolEntry,
  result: ToolResult,
  durationMs: number,
): CallOutcome {
  const { outputSchema } = entry.tool;
  const outcome = {
    kind: result.isError ? ('toolError' as const) : ('result' as const),
    result,
    violations: noViolations,
    missingStructuredContent: false,
    entry,
    durationMs,
  };
  if (result.isError || outputSchema === undefined) return outcome;
  const { structuredContent } = result;
  if (structuredContent === undefined) return { ...outcome, missingStructuredContent: true };
  if (structuredContent instanceof RawJson)
    return { ...outcome, schemaError: uncheckedReason(structuredContent) };
  const verdict = validator.validate(outputSchema, structuredContent);
  if (verdict.kind === 'invalid') return { ...outcome, violations: verdict.violations };
  if (verdict.kind === 'unusable') return { ...outcome, schemaError: verdict.reason.detail };
  return outcome;
}
