import { bytesInMemory } from '../../core/schema/valueWeight';
import type { ToolResult } from '../../core/types';
import type { PastCall } from './pastCall';

/** The answer of a call, and what is determined before it is stored. */
export interface NewAnswer {
  readonly result: ToolResult;
  /** Returns the path of its documents, as far as known when it has been written. */
  readonly pathOf: () => string | undefined;
  /**
   * Checked before anything is written. An answer that repeats a secret is not written. Defaults to
   * false.
   */
  readonly repeatsSecret?: () => Promise<boolean>;
}

/** A call that waits to be written. */
export interface CallToStore {
  readonly call: PastCall;
  readonly answer?: NewAnswer;
  /** Memory that the answer takes. */
  readonly bytes?: number;
}

/** Hundreds of smaller answers may wait in memory. */
const largeBytes = 64 * 1024;

/** Returns true if an answer takes so much memory that it should be written soon. */
export function isLargeAnswer({ bytes = 0 }: CallToStore): boolean {
  return bytes > largeBytes;
}

/**
 * Returns the call. Its answer is dropped if a slow disk has filled the memory for waiting answers.
 */
export function callToStore(
  call: PastCall,
  answer: NewAnswer | undefined,
  waitingBytes: number,
  maxBytes: number,
): CallToStore {
  if (answer === undefined || call.answer === undefined) return { call };
  const bytes = bytesInMemory(answer.result);
  if (waitingBytes === 0 || waitingBytes + bytes <= maxBytes) return { call, answer, bytes };
  return { call: { ...call, answer: { ...call.answer, omitted: 'unwritable' } } };
}
