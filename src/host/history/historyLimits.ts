import type { PastCall } from './pastCall';
import { latestFirst } from '../storage/latestFirst';

/** Limits of the history. Calls above any of them are removed, oldest first. */
export interface HistoryLimits {
  /** 0 stores nothing. */
  readonly maxCalls: number;
  readonly maxBytes: number;
  readonly maxAgeDays: number;
  /** Limit for one answer; a larger one is not stored, but its call is. */
  readonly maxAnswerBytes: number;
}

const msPerDay = 24 * 60 * 60 * 1_000;

/**
 * Returns the calls above the limits, except for those with open documents. `calls` are newest
 * first.
 */
export function callsAboveLimits(
  calls: readonly PastCall[],
  { maxCalls, maxBytes, maxAgeDays }: HistoryLimits,
  now: number,
  isOpen: (documents: string) => boolean,
): readonly PastCall[] {
  let count = 0;
  let bytes = 0;
  return calls.filter(({ answer, bytes: own, endedAt }) => {
    const isOver =
      count + 1 > maxCalls || bytes + own > maxBytes || now - endedAt > maxAgeDays * msPerDay;
    if (isOver && !(answer?.path !== undefined && isOpen(answer.path))) return true;
    count += 1;
    bytes += own;
    return false;
  });
}

/**
 * Returns the last sent call of each tool, newest first. `calls` are in the order in which they
 * were stored.
 */
export function lastCallOfEachTool(calls: readonly PastCall[]): readonly PastCall[] {
  const last = new Map<string, PastCall>();
  const sent = calls.filter(({ sentAt }) => sentAt !== undefined);
  for (const call of latestFirst(sent, ({ endedAt }) => endedAt)) {
    const key = JSON.stringify([call.server, call.tool]);
    if (!last.has(key)) last.set(key, call);
  }
  return [...last.values()];
}
