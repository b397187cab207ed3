import { isObject } from '../json/shapes';
import type { UnknownObject } from '../json/shapes';

/**
 * Returns the content of `toolResult` in today's form, or `result` itself if it has none. Before
 * the first revision `toolResult` could be any value, and some servers put a whole result into it.
 * If there is `content` too, the newer form is used.
 *
 * Spec: 2024-10-07 schema, CallToolResult; the official SDKs still accept it
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
