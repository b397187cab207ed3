import { KeptJson } from '../../core/json/keptJson';
import type { ToolResult } from '../../core/types';
import type { PastCall } from './pastCall';

/** What a call brought, and what is found out about it on the way to the disk. */
export interface NewAnswer {
  readonly result: ToolResult;
  /** Where its documents are, as far as is known when it has been written. */
  readonly pathOf: () => string | undefined;
  /** Asked before anything is written; one that does is not. Absent: it does not. */
  readonly repeatsSecret?: () => Promise<boolean>;
}

/** A call on its way to the disk. */
export interface KeptCall {
  readonly call: PastCall;
  readonly answer?: NewAnswer;
}

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
