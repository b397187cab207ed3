import type { PastCall } from './pastCall';

/** How much of the history is kept; whatever is over any of them goes, the oldest first. */
export interface HistoryLimits {
  /** 0: nothing is kept. */
  readonly maxCalls: number;
  readonly maxBytes: number;
  readonly maxAgeDays: number;
  /** Of one answer; a larger one is not kept, but its call is. */
  readonly maxAnswerBytes: number;
}

const msPerDay = 24 * 60 * 60 * 1_000;

/** Those of `calls`, the newest first, that are over the limits; never one whose documents are open. */
export function outlived(
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
