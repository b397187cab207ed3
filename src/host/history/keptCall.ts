import { bytesInMemory } from '../../core/schema/valueWeight';
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
  /** What the answer takes in memory. */
  readonly bytes?: number;
}

/** Hundreds of smaller ones may wait in memory. */
const largeBytes = 64 * 1024;

/** Whether an answer takes so much memory that it should be let go of soon. */
export function isLargeAnswer({ bytes = 0 }: KeptCall): boolean {
  return bytes > largeBytes;
}

/** The call, without an answer for which memory has no room until a slow disk has taken those before it. */
export function keptCall(
  call: PastCall,
  answer: NewAnswer | undefined,
  waitingBytes: number,
  maxBytes: number,
): KeptCall {
  if (answer === undefined || call.answer === undefined) return { call };
  const bytes = bytesInMemory(answer.result);
  if (waitingBytes === 0 || waitingBytes + bytes <= maxBytes) return { call, answer, bytes };
  return { call: { ...call, answer: { ...call.answer, omitted: 'unwritable' } } };
}
