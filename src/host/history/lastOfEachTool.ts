import { latestFirst } from '../storage/latestFirst';
import type { PastCall } from './pastCall';

/**
 * Returns the last sent call of each tool, newest first. `calls` are in the order in which they
 * were stored.
 */
export function lastOfEachTool(calls: readonly PastCall[]): readonly PastCall[] {
  const last = new Map<string, PastCall>();
  const sent = calls.filter(({ sentAt }) => sentAt !== undefined);
  for (const call of latestFirst(sent, ({ endedAt }) => endedAt)) {
    const key = JSON.stringify([call.server, call.tool]);
    if (!last.has(key)) last.set(key, call);
  }
  return [...last.values()];
}
