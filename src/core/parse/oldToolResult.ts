import { isObject } from '../json/shapes';
import type { UnknownObject } from '../json/shapes';

/**
 * What stands inside of `toolResult`, in the form of today; `result` itself where there is nothing
 * of that kind. Before the first revision `toolResult` was any value, and some servers put what is
 * the whole result today there. Content beside it is the newer form, and counts.
 *
 * Spec: 2024-10-07 schema, CallToolResult; the official SDKs still take it
 */
export function unwrapped(result: UnknownObject): UnknownObject {
  const { toolResult, content } = result;
  if (toolResult === undefined || result.structuredContent !== undefined) return result;
  const isBare =
    content === undefined || content === null || (Array.isArray(content) && content.length === 0);
  if (!isBare) return result;
  const { toolResult: _, content: __, ...outer } = result;
  const inner = formOf(toolResult);
  const isError = outer['isError'] === true || inner['isError'] === true;
  return { ...outer, ...inner, isError };
}

function formOf(value: unknown): UnknownObject {
  if (value === null) return { content: [] };
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (Array.isArray(value) && value.length > 0 && value.every(isBlock)) return { content: value };
  if (isObject(value)) {
    if (Array.isArray(value.content) || value.structuredContent !== undefined) return value;
    return { structuredContent: value, isError: value.isError };
  }
  return { structuredContent: value };
}

function isBlock(value: unknown): boolean {
  return isObject(value) && typeof value.type === 'string';
}
