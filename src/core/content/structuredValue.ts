import { RawJson } from '../json/rawJson';
import { valueOfKept, type ReadNumber } from '../json/keptValue';
import type { ToolResult } from '../types';

/** `result` with the value of structured content that is kept as text, if it can be made. */
export async function withValue(result: ToolResult, toNumber?: ReadNumber): Promise<ToolResult> {
  const { structuredContent } = result;
  if (!(structuredContent instanceof RawJson)) return result;
  const value = await valueOfKept(structuredContent, toNumber);
  return value === undefined ? result : { ...result, structuredContent: value };
}
