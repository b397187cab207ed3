import { KeptJson } from '../../core/json/keptJson';
import type { ToolResult } from '../../core/types';

/** Hundreds of smaller ones may wait in memory. */
const largeLength = 64 * 1024;

/** Whether an answer takes so much memory that it should be let go of soon. */
export function isLargeAnswer({ content, structuredContent }: ToolResult): boolean {
  if (structuredContent instanceof KeptJson) return structuredContent.byteLength > largeLength;
  let length = 0;
  for (const block of content) {
    if (block.type === 'text') length += block.text.length;
    else if (block.type === 'image' || block.type === 'audio') length += block.data.length;
    else length += otherLength;
    if (length > largeLength) return true;
  }
  // Its texts say what it holds, too.
  return structuredContent !== undefined && content.length === 0;
}

/** A resource may be of any size; so that one counts as large. */
const otherLength = largeLength + 1;
