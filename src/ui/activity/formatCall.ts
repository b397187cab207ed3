import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import type { Progress } from '../../core/types';
import { isAgentWaiting, type RunningCall } from '../../host/calls/runningCall';
import type { AnswerOmission } from '../../host/history/pastCall';
import { settings } from '../../ids';
import { formatError, quoted } from '../format/sentences';
import type { ShownCall } from './shownCall';
import { dayOf, formatDate, formatDuration, formatElapsed, formatHour } from '../format/formatTime';

/** Larger totals are byte counts, not steps. */
const maxSteps = 9_999;

/** Formats as `3/10`, or as a percentage if the numbers are not steps; empty without a total. */
export function formatProgress(progress: Progress | undefined): string {
  if (progress?.total === undefined || progress.total <= 0) return '';
  const { progress: done, total } = progress;
  const areSteps = Number.isInteger(done) && Number.isInteger(total) && total <= maxSteps;
  if (areSteps) return `${done}/${total}`;
  return l10n.t('{0} %', Math.min(100, Math.floor((done / total) * 100)));
}

/** Formats a running call as one line without its title; the part that changes comes first. */
export function formatRunningCall(call: RunningCall, now: number): string {
  return joined([formatTaskLead(call), formatRunningRow(call, now)]);
}

/** Formats the description of the row of a running call, without {@link formatTaskLead}. */
export function formatRunningRow(call: RunningCall, now: number, isSigningIn = false): string {
  const { progress } = call;
  return joined([
    ...(isSigningIn ? [l10n.t('Waiting for sign-in')] : []),
    ...(call.isHidden ? [l10n.t('hidden')] : []),
    ...phaseParts(call, now),
    formatProgress(progress),
    quoted(progress?.message),
    ...keptParts(call),
  ]);
}

/** Tells that a call is a task, and what it waits for or who follows it; empty if it is no task. */
export function formatTaskLead({ task, taskPlace, phase, questions }: RunningCall): string {
  if (task === undefined) return '';
  if (phase === 'cancelling') return l10n.t('task');
  if (taskPlace === 'left') return l10n.t('task waits for server');
  if (questions.length > 0 || task.status === 'input_required') return l10n.t('task asks you');
  return taskPlace === 'elsewhere' ? l10n.t('task in another window') : l10n.t('task');
}

/** Formats how long the server keeps a task, which may be days. */
function keptParts({ taskKeptUntil: until, task }: RunningCall): string[] {
  if (until === undefined || task === undefined) return [];
  return [until < Date.now() ? l10n.t('timed out') : l10n.t('kept until {0}', keptTime(until))];
}

function keptTime(until: number): string {
  return dayOf(until) === dayOf(Date.now()) ? formatHour(until) : formatDate(until);
}

/** Tells whether a task outlives this window; empty if the call is no task. */
export function formatKeeping({ task, isTaskKept, taskPlace }: RunningCall): string {
  if (task === undefined) return '';
  if (taskPlace === 'left')
    return l10n.t('Runs as a task. The result arrives when its server runs.');
  if (taskPlace === 'elsewhere')
    return l10n.t('Runs as a task that is followed in another window.');
  return isTaskKept === true
    ? l10n.t('Runs as a task. It continues without this window.')
    : l10n.t('Runs as a task. It ends with this window.');
}

function phaseParts(call: RunningCall, now: number): string[] {
  const { phase, startedAt, sentAt } = call;
  switch (phase) {
    case 'asking':
      return [isAgentWaiting(call) ? l10n.t('waiting for you') : l10n.t('waiting for approval')];
    case 'waiting':
      return [l10n.t('queued')];
    case 'running':
      return [formatElapsed(now - (sentAt ?? startedAt))];
    case 'cancelling':
      return [l10n.t('cancelled')];
    default:
      return assertNever(phase);
  }
}

/** Formats how a call ended, in one or two words. */
export function formatCallOutcome({ outcome, error, breaksSchema, isDraft }: ShownCall): string {
  if (isDraft) return l10n.t('no answer');
  switch (outcome) {
    case 'result':
      return breaksSchema ? l10n.t('breaks output schema') : l10n.t('done');
    case 'toolError':
      return l10n.t('error');
    case 'denied':
      return l10n.t('not called');
    case 'cancelled':
      return l10n.t('cancelled');
    case 'failed':
      return error?.facts.outcomeUnknown === true ? l10n.t('outcome unknown') : l10n.t('failed');
    default:
      return assertNever(outcome);
  }
}

/** Formats server and time, which come last because a narrow view cuts off the end. */
export function formatCallPlace(server: string, at: number): string {
  return joined([server, formatHour(at)]);
}

/** Formats the description of the row of an ended call; the icon alone shows success. */
export function formatEndedRow(call: ShownCall, hasResult = true): string {
  const { briefArguments, outcome, breaksSchema } = call;
  const isDone = outcome === 'result' && !breaksSchema;
  const parts = [
    briefArguments,
    isDone ? '' : formatCallOutcome(call),
    ...whyParts(call),
    ...durationParts(call),
    ...omissionParts(call, hasResult),
    formatCallPlace(call.serverLabel, call.endedAt),
  ];
  return joined(parts);
}

/** Formats an ended call as one line without the title: server, time, outcome and reason. */
export function formatEndedCall(call: ShownCall, hasResult = true): string {
  return joined([
    call.serverLabel,
    formatHour(call.endedAt),
    formatCallOutcome(call),
    ...durationParts(call),
    ...whyParts(call),
    ...omissionParts(call, hasResult),
  ]);
}

/** Formats outcome and duration, which do not fit into a narrow row. */
export function formatOutcomeAndTime(call: ShownCall): string {
  return joined([formatCallOutcome(call), ...durationParts(call)]);
}

function durationParts({ wasSent, durationMs }: ShownCall): string[] {
  return wasSent ? [formatDuration(durationMs)] : [];
}

function whyParts({ isUnanswered, error, serverLabel }: ShownCall): string[] {
  if (isUnanswered) return [l10n.t('server did not confirm')];
  return error === undefined ? [] : [formatError(serverLabel, error).title];
}

function omissionParts({ omitted }: ShownCall, hasResult: boolean): string[] {
  return hasResult || omitted === undefined ? [] : [l10n.t('result not kept')];
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

/** Formats why the result of a call was not kept, as a sentence. */
export function omissionSentence(omitted: AnswerOmission): string {
  return {
    tooLarge: l10n.t(
      'The result is not kept: it exceeds the limit of the setting "{0}".',
      `${settings.section}.${settings.historyMaxAnswerBytes}`,
    ),
    secret: l10n.t('The result is not kept: it contains a secret.'),
    unwritable: l10n.t('The result is not kept: it could not be written to disk.'),
    turnedOff: l10n.t(
      'The result is not kept: the setting "{0}" is 0.',
      `${settings.section}.${settings.historyMaxCalls}`,
    ),
  }[omitted];
}
