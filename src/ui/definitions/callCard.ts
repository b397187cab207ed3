import * as l10n from '@vscode/l10n';
import type { PastCall } from '../../host/history/pastCall';
import { formatCallOutcome } from '../activity/formatCall';
import { fromHistory } from '../activity/shownCall';
import { briefArguments } from '../format/briefArguments';
import { formatDate, formatDuration } from '../format/formatTime';

/** Maximum number of calls that are listed. */
const maxCalls = 5;
const maxArgumentsChars = 160;

/** Describes how long the calls took and how they ended, and then lists the last ones. */
export function callLines(calls: readonly PastCall[]): readonly string[] {
  const sent = calls.filter(({ sentAt }) => sentAt !== undefined);
  if (sent.length === 0) return [l10n.t('No calls in the history of this workspace.')];
  const answered = sent.filter(({ outcome }) => outcome === 'result' || outcome === 'toolError');
  return [
    endsSentence(sent),
    ...(answered.length === 0 ? [] : [latencySentence(answered)]),
    ...sent.slice(0, maxCalls).map((call) => `- ${callLine(call)}`),
  ];
}

function endsSentence(calls: readonly PastCall[]): string {
  const ends = new Map<string, number>();
  for (const call of calls) {
    const outcome = formatCallOutcome(fromHistory(call));
    ends.set(outcome, (ends.get(outcome) ?? 0) + 1);
  }
  const words = [...ends].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  return l10n.t('In the history of this workspace: {0}.', words);
}

function latencySentence(calls: readonly PastCall[]): string {
  const times = calls.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
  const within = (share: number): string =>
    formatDuration(times[Math.ceil(times.length * share) - 1] ?? 0);
  return l10n.t('Median {0}, 95th percentile {1}.', within(0.5), within(0.95));
}

function callLine(call: PastCall): string {
  const outcome = formatCallOutcome(fromHistory(call));
  const given = briefArguments(call.arguments ?? {}, maxArgumentsChars);
  return [formatDate(call.endedAt), outcome, formatDuration(call.durationMs), given]
    .filter((part) => part !== '')
    .join(' · ');
}
