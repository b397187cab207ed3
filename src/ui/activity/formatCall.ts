import { l10n } from 'vscode';
import { assertNever } from '../../core/errors';
import type { Progress } from '../../core/types';
import type { RunningCall } from '../../host/calls/ongoingCall';
import type { AnswerOmission } from '../../host/history/pastCall';
import { settings } from '../../ids';
import { formatError, quoted } from '../format/sentences';
import { callServer } from './callNames';
import type { ShownCall } from './shownCall';
import { formatDuration, formatElapsed, formatClock } from '../format/formatTime';

/** Larger totals are numbers of bytes, and nobody reads those as steps. */
const maxSteps = 9_999;

/** `3/10`, or percents where the numbers are no steps; nothing without a total. */
export function formatProgress(progress: Progress | undefined): string {
  if (progress?.total === undefined || progress.total <= 0) return '';
  const { progress: done, total } = progress;
  const areSteps = Number.isInteger(done) && Number.isInteger(total) && total <= maxSteps;
  if (areSteps) return `${done}/${total}`;
  return l10n.t('{0} %', Math.min(100, Math.floor((done / total) * 100)));
}

/** The line beside the title of a call that goes on; what changes comes first. */
export function formatRunningCall(call: RunningCall, now: number): string {
  const { progress } = call;
  const parts = [
    ...phaseParts(call, now),
    formatProgress(progress),
    callServer(call),
    quoted(progress?.message),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function phaseParts({ phase, startedAt, sentAt }: RunningCall, now: number): string[] {
  switch (phase) {
    case 'asking':
      return [l10n.t('not sent yet')];
    case 'waiting':
      return [l10n.t('waits for its turn')];
    case 'running':
      return [formatElapsed(now - (sentAt ?? startedAt))];
    case 'cancelling':
      return [l10n.t('cancelled')];
    default:
      return assertNever(phase);
  }
}

/** How a call ended, in one or two words. */
export function formatCallOutcome({ outcome, error, breaksSchema }: ShownCall): string {
  switch (outcome) {
    case 'result':
      return breaksSchema ? l10n.t('answer breaks its schema') : l10n.t('done');
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

/** The line beside the title of a call that has ended. */
export function formatEndedCall(call: ShownCall, hasResult = true): string {
  const { wasSent, durationMs, error, serverLabel, omitted } = call;
  const why = error === undefined ? '' : formatError(serverLabel, error).title;
  const parts = [
    formatCallOutcome(call),
    ...(wasSent ? [formatDuration(durationMs)] : []),
    serverLabel,
    formatClock(call.endedAt),
    ...(call.isUnanswered ? [l10n.t('its server has not answered')] : [why]),
    ...(hasResult || omitted === undefined ? [] : [l10n.t('result not kept')]),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Why the result of a call is not kept, as a sentence. */
export function omissionSentence(omitted: AnswerOmission): string {
  switch (omitted) {
    case 'tooLarge':
      return l10n.t(
        'Its result is not kept: it is larger than the setting "{0}" allows.',
        `${settings.section}.${settings.historyMaxAnswerBytes}`,
      );
    case 'secret':
      return l10n.t('Its result is not kept: it repeats a secret.');
    case 'unwritable':
      return l10n.t('Its result is not kept: it could not be written to the disk.');
    default:
      return assertNever(omitted);
  }
}
