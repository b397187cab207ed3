import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { ToolResult } from '../../src/core/types';
import { History, type HistoryOptions } from '../../src/host/history/history';
import type { HistoryLimits, PastAnswer, PastCall } from '../../src/host/history/pastCall';
import type { StorageProblem } from '../../src/host/storage/recordStore';

// Calls as the history keeps them, and folders to keep them in.

export const historyLimits: HistoryLimits = {
  maxCalls: 200,
  maxBytes: 256 * 1024 * 1024,
  maxAgeDays: 30,
  maxAnswerBytes: 32 * 1024 * 1024,
};

export const answered: PastAnswer = {
  isExternal: false,
  violations: [],
  missingStructuredContent: false,
};

export function pastCall(callId: string, more: Partial<PastCall> = {}): PastCall {
  return {
    callId,
    server: 'shop',
    tool: 'sell',
    serverLabel: 'Shop',
    toolTitle: 'Sell it',
    origin: 'palette',
    startedAt: Date.now(),
    sentAt: Date.now(),
    endedAt: Date.now(),
    durationMs: 12,
    outcome: 'result',
    arguments: { count: 1 },
    answer: answered,
    bytes: 4_096,
    ...more,
  };
}

export function resultOf(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: false };
}

export function historyIn(folder: string, more: Partial<HistoryOptions> = {}) {
  const problems: StorageProblem[] = [];
  const history = new History({
    folder,
    limits: () => historyLimits,
    isOpen: () => false,
    onProblem: (problem) => problems.push(problem),
    ...more,
  });
  return { history, problems };
}

export const idsOf = (history: History): string[] => history.calls.map(({ callId }) => callId);

/** Every file below, with its path from there. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}
