import * as l10n from '@vscode/l10n';
import { ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState } from 'vscode';
import { assertNever } from '../../core/errors';
import type { RunningCall } from '../../host/calls/runningCall';
import { decisionFacts } from '../../host/journal/decisionFacts';
import { commands, contextValues } from '../../ids';
import { rowId } from '../editor/ownArguments';
import { formatDecision } from '../format/formatDecision';
import { formatOrigin } from '../format/formatPermission';
import { errorSentence, quoted } from '../format/sentences';
import {
  formatCallPlace,
  formatKeeping,
  formatEndedCall,
  formatEndedRow,
  omissionSentence,
  formatOutcomeAndTime,
  formatProgress,
  formatRunningRow,
  formatTaskLead,
} from './formatCall';
import { formatCallCount } from './callStatus';
import { type ShownCall, callServer, callTitle } from './shownCall';
import { formatTime } from '../format/formatTime';

/** The row of a call; its content is looked up by id. */
export interface CallRow {
  readonly callId: string;
  /** Server whose log a command on the row shows. */
  readonly serverId?: string;
}

/** The parent row of all calls of one earlier day. */
interface DayRow {
  /** Key of the day. */
  readonly day: string;
}

export type ActivityRow = CallRow | DayRow;

/** Returns the tree item of a running call. */
export function runningItem(
  call: RunningCall,
  given: string,
  now: number,
  isSigningIn = false,
): TreeItem {
  const title = callTitle(call);
  const description = formatRunningRow(call, now, isSigningIn);
  const lead = formatTaskLead(call);
  const item = new TreeItem(title);
  item.id = rowId(call.id);
  // The reason for waiting and the parts that change come first: a narrow view cuts off the end.
  const place = formatCallPlace(callServer(call), call.startedAt);
  item.description = [lead, description, given, place].filter((part) => part !== '').join(' · ');
  item.iconPath = phaseIcon(call);
  item.contextValue = phaseContextValue(call);
  item.tooltip = [
    nameLine(title, call.tool, callServer(call)),
    ...(given === '' ? [] : [l10n.t('With {0}', given)]),
    ...runningLines(call),
    ...(call.decision === undefined ? [] : [formatDecision(decisionFacts(call.decision))]),
  ].join('\n');
  // Screen readers read it once, so parts that change every second are left out.
  const label = [
    title,
    callServer(call),
    ...(isSigningIn ? [l10n.t('Waiting for sign-in')] : []),
    phaseSentence(call),
    ...(call.questions.length === 0 ? [] : [l10n.t('The server asks you a question.')]),
    formatKeeping(call),
    formatProgress(call.progress),
    given,
  ];
  item.accessibilityInformation = { label: label.filter((part) => part !== '').join(', ') };
  return item;
}

/** Returns the tree item of an ended call; selecting it opens the result if it was kept. */
export function endedItem(call: ShownCall, hasResult: boolean): TreeItem {
  const description = formatEndedCall(call, hasResult);
  const { title, serverLabel, briefArguments } = call;
  const item = new TreeItem(title);
  item.id = rowId(call.id);
  item.description = formatEndedRow(call, hasResult);
  item.iconPath = outcomeIcon(call);
  item.contextValue = endedContextValue(call, hasResult);
  item.tooltip = [
    [nameLine(title, call.tool, serverLabel), briefArguments]
      .filter((part) => part !== '')
      .join(' · '),
    ...endedLines(call, hasResult),
  ].join(isPlainSuccess(call) ? ' · ' : '\n');
  const all = briefArguments === '' ? description : l10n.t('{0}, {1}', description, briefArguments);
  item.accessibilityInformation = { label: l10n.t('{0}, {1}', title, all) };
  if (hasResult || call.error !== undefined) {
    const row: CallRow = { callId: call.id };
    item.command = {
      title: l10n.t('Open Result'),
      command: commands.openCallResult,
      arguments: [row],
    };
  }
  return item;
}

/** Returns the parent item of the calls of one day. */
export function dayItem({ day }: DayRow, description: string, count: number): TreeItem {
  const item = new TreeItem(description, TreeItemCollapsibleState.Collapsed);
  item.id = rowId(`day ${day}`);
  item.description = formatCallCount(count);
  item.iconPath = new ThemeIcon('calendar');
  item.accessibilityInformation = {
    label: l10n.t('{0}, {1}', description, formatCallCount(count)),
  };
  return item;
}

/** Returns true if nothing about the call needs a line of its own. */
function isPlainSuccess({ outcome, breaksSchema, omitted, why }: ShownCall): boolean {
  return outcome === 'result' && !breaksSchema && omitted === undefined && why === undefined;
}

function nameLine(title: string, tool: string, server: string): string {
  const name = quoted(tool);
  return title === name
    ? l10n.t('{0} on “{1}”', name, server)
    : l10n.t('{0} ({1}) on “{2}”', title, name, server);
}

function runningLines(call: RunningCall): string[] {
  const { progress, startedAt } = call;
  const keeping = formatKeeping(call);
  return [
    call.phase === 'running' && keeping !== '' ? keeping : phaseSentence(call),
    ...(call.questions.length === 0 ? [] : [l10n.t('The server asks you a question.')]),
    ...(progress?.message === undefined ? [] : [l10n.t('“{0}”', quoted(progress.message))]),
    `${formatTime(startedAt)}, ${whoAsked(call)}`,
  ];
}

/** Includes the name that an agent gave itself. */
function whoAsked({ origin, client }: Pick<RunningCall, 'origin' | 'client'>): string {
  return client === undefined
    ? formatOrigin(origin)
    : l10n.t('{0} “{1}” (as it calls itself)', formatOrigin(origin), quoted(client));
}

function endedLines(call: ShownCall, hasResult: boolean): string[] {
  const { error, startedAt, serverLabel, omitted, why } = call;
  return [
    error === undefined ? formatOutcomeAndTime(call) : errorSentence(serverLabel, error),
    ...(call.breaksSchema
      ? [l10n.t('The structured content does not match the output schema of the tool.')]
      : []),
    ...(call.isDraft ? [l10n.t('The agent no longer waits. You can run this call yourself.')] : []),
    ...(call.isUnanswered
      ? [l10n.t('The server was told to stop but has not answered. It may still be working on it.')]
      : []),
    `${formatTime(startedAt)}, ${whoAsked(call)}`,
    ...(hasResult || omitted === undefined ? [] : [omissionSentence(omitted)]),
    ...(why === undefined ? [] : [why]),
  ];
}

function phaseSentence({ phase }: RunningCall): string {
  return {
    asking: l10n.t('Nothing has been sent yet.'),
    waiting: l10n.t('Waiting until fewer calls run on this server.'),
    running: l10n.t('Running.'),
    cancelling: l10n.t('Cancelled.'),
  }[phase];
}

function phaseIcon({ phase, task, taskPlace, questions }: RunningCall): ThemeIcon {
  if (phase === 'running' && task !== undefined) {
    if (taskPlace === 'left') return new ThemeIcon('debug-pause');
    if (questions.length > 0 || task.status === 'input_required') return new ThemeIcon('question');
  }
  switch (phase) {
    case 'asking':
      return new ThemeIcon('question');
    case 'waiting':
      return new ThemeIcon('watch');
    case 'running':
      return new ThemeIcon('loading~spin');
    case 'cancelling':
      return new ThemeIcon('circle-slash');
    default:
      return assertNever(phase);
  }
}

function phaseContextValue({ phase, task, questions }: RunningCall): string {
  if (phase === 'running' && task !== undefined) {
    return questions.length > 0 ? contextValues.callTaskAsking : contextValues.callTask;
  }
  switch (phase) {
    case 'asking':
      return contextValues.callAsking;
    case 'waiting':
      return contextValues.callWaiting;
    case 'running':
      return contextValues.callRunning;
    case 'cancelling':
      return contextValues.callCancelling;
    default:
      return assertNever(phase);
  }
}

function endedContextValue(
  { isUnanswered, isDraft, outcome }: ShownCall,
  hasResult: boolean,
): string {
  if (isDraft) return contextValues.callDraft;
  if (isUnanswered) return contextValues.callUnanswered;
  if (hasResult) return contextValues.callWithResult;
  return outcome === 'failed' ? contextValues.callFailed : contextValues.callEnded;
}

function outcomeIcon({ outcome, error, breaksSchema, isDraft }: ShownCall): ThemeIcon {
  if (isDraft) return new ThemeIcon('comment-unresolved');
  switch (outcome) {
    case 'result':
      return breaksSchema
        ? warningIcon()
        : new ThemeIcon('pass', new ThemeColor('testing.iconPassed'));
    case 'toolError':
      return warningIcon();
    case 'denied':
      return new ThemeIcon('shield');
    case 'cancelled':
      return new ThemeIcon('circle-slash');
    case 'failed':
      return error?.facts.outcomeUnknown === true
        ? new ThemeIcon('question', new ThemeColor('problemsErrorIcon.foreground'))
        : new ThemeIcon('error', new ThemeColor('problemsErrorIcon.foreground'));
    default:
      return assertNever(outcome);
  }
}

function warningIcon(): ThemeIcon {
  return new ThemeIcon('warning', new ThemeColor('problemsWarningIcon.foreground'));
}
