import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { assertNever } from '../../core/errors';
import { escapeIcons } from '../../core/visibleText';
import type { TaskState, TaskStatus } from '../../core/tasks/taskState';
import type { RunningCall } from '../../host/calls/runningCall';
import type { ForeignTasks } from '../../host/tasks/foreignTasks';
import type { StoredTask } from '../../host/tasks/storedTasks';
import { formatTime } from '../format/formatTime';
import { answerOf, createPicker } from '../editor/picker';
import { errorSentence, quoted } from '../format/sentences';
import { runningPick } from './callPicker';

export interface TaskPick extends vscode.QuickPickItem {
  /** Absent if this window offers no actions for the task. */
  readonly callId?: string;
  readonly call?: RunningCall;
}

/** A server that is asked for its tasks while the picker is open. */
export interface ListingServer {
  readonly label: string;
  readonly list: (token: CancellationToken) => Promise<ForeignTasks>;
}

/**
 * Shows the tasks; below them it adds the other tasks that each server lists, which are read-only.
 * Returns `undefined` when the picker is closed.
 */
export async function pickTask(
  known: readonly TaskPick[],
  servers: readonly ListingServer[],
): Promise<TaskPick | undefined> {
  const pick = createPicker<TaskPick>({
    title: l10n.t('Tasks'),
    placeholder: l10n.t('Choose a task'),
    matchOnDescription: true,
    keepScrollPosition: true,
    items: known,
  });
  const closing = new vscode.CancellationTokenSource();
  void addForeign(pick, servers, closing.token);
  try {
    const accept = (): TaskPick | undefined =>
      pick.activeItems.find(({ callId }) => callId !== undefined);
    return await answerOf(pick, { accept });
  } finally {
    closing.cancel();
  }
}

async function addForeign(
  pick: vscode.QuickPick<TaskPick>,
  servers: readonly ListingServer[],
  token: vscode.CancellationToken,
): Promise<void> {
  pick.busy = servers.length > 0;
  const known = pick.items;
  const foreign: TaskPick[] = [];
  const added = servers.map(async ({ label, list }) => {
    const picks = foreignTaskPicks(label, await list(token));
    if (token.isCancellationRequested || picks.length === 0) return;
    foreign.push(...picks);
    const { activeItems } = pick;
    pick.items = [...known, separator(), ...foreign];
    if (activeItems.length > 0) pick.activeItems = activeItems;
  });
  await Promise.all(added);
  if (token.isCancellationRequested) return;
  pick.busy = false;
  if (pick.items.length === 0) pick.placeholder = l10n.t('No call is running as a task.');
}

function separator(): TaskPick {
  const label = l10n.t('Only on the server (read-only)');
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

export function foreignTaskPicks(
  label: string,
  { tasks, isIncomplete, error }: ForeignTasks,
): TaskPick[] {
  const server = escapeIcons(quoted(label));
  if (error !== undefined) {
    return [{ label: server, description: escapeIcons(errorSentence(label, error)) }];
  }
  const more = { label: server, description: l10n.t('The server lists more tasks.') };
  return [...tasks.map((task) => foreignPick(server, task)), ...(isIncomplete ? [more] : [])];
}

/** Omits the task id, which is a secret. */
function foreignPick(server: string, { status, statusMessage }: TaskState): TaskPick {
  const pick = { label: formatStatus(status), description: l10n.t('{0} · read-only', server) };
  if (statusMessage === undefined) return pick;
  return { ...pick, detail: escapeIcons(l10n.t('“{0}”', quoted(statusMessage))) };
}

function formatStatus(status: TaskStatus): string {
  switch (status) {
    case 'working':
      return l10n.t('Running');
    case 'input_required':
      return l10n.t('Waiting for an answer');
    case 'completed':
      return l10n.t('Completed');
    case 'failed':
      return l10n.t('Failed');
    case 'cancelled':
      return l10n.t('Cancelled');
    default:
      return assertNever(status);
  }
}

export function runningTaskPick(call: RunningCall): TaskPick {
  return { ...runningPick(call), call };
}

/** Returns the item of a task whose server is missing in this window or configured differently. */
export function unconfiguredTaskPick({ callId, server, handle, startedAt }: StoredTask): TaskPick {
  const description = l10n.t(
    '{0} · not configured here · {1}',
    quoted(server),
    formatTime(startedAt),
  );
  return { label: escapeIcons(quoted(handle.tool)), description: escapeIcons(description), callId };
}
