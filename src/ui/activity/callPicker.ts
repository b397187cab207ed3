import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../core/visibleText';
import type { RunningCall } from '../../host/calls/runningCall';
import { notify } from '../editor/messages';
import { formatEndedCall, formatRunningCall } from './formatCall';
import { type ShownCall, callServer, callTitle } from './shownCall';
import { dayOf, formatDay } from '../format/formatTime';

export interface CallPick extends vscode.QuickPickItem {
  /** Absent for the separator between two groups. */
  readonly callId?: string;
}

export function runningPick(call: RunningCall): CallPick {
  const description = l10n.t('{0} · {1}', callServer(call), formatRunningCall(call, Date.now()));
  return pickOf(call.id, callTitle(call), description);
}

export function endedPick(call: ShownCall): CallPick {
  const now = Date.now();
  const { endedAt, briefArguments } = call;
  const day = dayOf(endedAt) < dayOf(now) ? ` · ${formatDay(endedAt, now)}` : '';
  const pick = pickOf(call.id, call.title, formatEndedCall(call) + day);
  return briefArguments === '' ? pick : { ...pick, detail: escapeIcons(briefArguments) };
}

function pickOf(callId: string, title: string, description: string): CallPick {
  return { callId, label: escapeIcons(title), description: escapeIcons(description) };
}

export function separator(label: string): CallPick {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** Shows a picker and returns the chosen call; tells the user why if there are no calls. */
export async function pickCall(
  items: readonly CallPick[],
  title: string,
  none: string,
): Promise<string | undefined> {
  if (items.length === 0) {
    notify('information', none);
    return undefined;
  }
  const placeHolder = l10n.t('Choose a call');
  const options = { title, placeHolder, matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.callId;
}
