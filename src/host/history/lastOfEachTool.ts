import type { PastCall } from './pastCall';

/** Of each tool the last call that was sent, the newest first. */
export function lastOfEachTool(calls: readonly PastCall[]): readonly PastCall[] {
  const last = new Map<string, PastCall>();
  const sent = calls.filter(({ sentAt }) => sentAt !== undefined);
  for (const call of sent.toSorted((one, other) => other.endedAt - one.endedAt)) {
    const key = JSON.stringify([call.server, call.tool]);
    if (!last.has(key)) last.set(key, call);
  }
  return [...last.values()];
}
