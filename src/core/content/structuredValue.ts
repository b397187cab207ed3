import { RawJson } from '../json/rawJson';
import { valueOfKept, type ReadNumber } from '../json/keptValue';
import type { ToolResult } from '../types';

/** Returns `result` with structured content parsed, if it is kept as text and can be parsed. */
export async function withValue(result: ToolResult, toNumber?: ReadNumber): Promise<ToolResult> {
  const { structuredContent } = result;
  if (!(structuredContent instanceof RawJson)) return result;
  const value = await valueOfKept(structuredContent, toNumber);
  return value === undefined ? result : { ...result, structuredContent: value };
}
