import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { TaskState, TaskStatus } from '../../core/tasks/taskState';
import { escapeIcons } from '../../core/visibleText';
import type { RunningCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import type { ServerRegistry } from '../../host/connections/registry';
import {
  listForeignTasks,
  type ForeignTasks,
  type StoredTasks,
  type StoredTask,
} from '../../host/tasks/storedTasks';
import type { TaskKeeper } from '../../host/tasks/taskKeeper';
import { commands, views } from '../../ids';
import { notify } from '../editor/messages';
import { answerOf, createPicker } from '../editor/picker';
import { formatTime } from '../format/formatTime';
import { errorSentence, quoted } from '../format/sentences';
import { startCommand } from '../format/startCommand';
import { callIdOf } from './callCommands';
import { runningPick, pickCall } from './callPicker';

interface TaskCommandOptions {
  readonly running: Pick<RunningCalls, 'running' | 'cancel' | 'hide' | 'knowsTask'>;
  readonly store: Pick<StoredTasks, 'all'>;
  readonly keeper: Pick<TaskKeeper, 'forget' | 'look'>;
  readonly registry: Pick<ServerRegistry, 'servers' | 'client'>;
}

type Action = vscode.QuickPickItem & { readonly run: () => Thenable<unknown> | void };

/**
 * Registers the command `Tasks…`: it lists all running and kept tasks with their actions, followed by tasks that
 * only servers know.
 */
export function registerTaskCommand(options: TaskCommandOptions): vscode.Disposable {
  return vscode.commands.registerCommand(commands.listTasks, () => listTasks(options));
}

async function listTasks(options: TaskCommandOptions): Promise<void> {
  const { keeper, store, running: calls } = options;
  await keeper.look();
  const running = calls.running.filter(({ task }) => task !== undefined);
  const shown = new Set(running.map(({ id }) => id));
  // Read errors were already reported.
  const kept = await store.all().catch(() => []);
  const others = kept.filter(({ callId }) => !shown.has(callId));
  const picks = [...running.map(runningTaskPick), ...others.map(unconfiguredTaskPick)];
  const servers = listingServers(options, kept);
  if (picks.length === 0 && servers.length === 0) {
    notify('information', l10n.t('No call is running as a task.'));
    return;
  }
  const pick = await pickTask(picks, servers);
  if (pick?.callId === undefined) return;
  const actions = actionsOf(options, pick.callId, pick.call);
  const action = await vscode.window.showQuickPick(actions, { title: pick.label });
  await action?.run();
}

/** Returns the running servers that support listing tasks. */
function listingServers(
  { registry, running }: TaskCommandOptions,
  kept: readonly StoredTask[],
): readonly ListingServer[] {
  return registry.servers.flatMap(({ config: { id, label }, state }) => {
    if (state.kind !== 'running') return [];
    const client = registry.client(id);
    if (!client.capabilities.taskLists) return [];
    const own = new Set(kept.flatMap(({ server, handle }) => (server === id ? handle.taskId : [])));
    const isKnown = (taskId: string) => own.has(taskId) || running.knowsTask(id, taskId);
    return [{ label, list: (token) => listForeignTasks(client, isKnown, token) }];
  });
}

function actionsOf(
  { running, keeper }: TaskCommandOptions,
  callId: string,
  call: RunningCall | undefined,
): Action[] {
  const forget: Action = {
    label: l10n.t('Forget'),
    detail: l10n.t('The server may continue it, but its result is not shown.'),
    run: () => keeper.forget(callId),
  };
  if (call === undefined) return [forget];
  const isLeft = call.taskPlace === 'left';
  const show = () => {
    running.hide(callId, false);
    return vscode.commands.executeCommand(`${views.activity}.focus`);
  };
  const hide = (): void => void running.hide(callId, true);
  return [
    ...(call.questions.length === 0
      ? []
      : [{ label: l10n.t('Answer…'), run: () => openQuestion(call) }]),
    { label: call.isHidden ? l10n.t('Show Again') : l10n.t('Show Calls'), run: show },
    ...(isLeft ? [startAction(call)] : []),
    { label: l10n.t('Cancel Task'), run: () => void running.cancel(callId) },
    ...(call.isHidden ? [] : [{ label: l10n.t('Hide Task'), run: hide }]),
    ...(isLeft ? [forget] : []),
  ];
}

function startAction({ server }: RunningCall): Action {
  const { title, command, arguments: given = [] } = startCommand(server);
  return { label: title, run: () => vscode.commands.executeCommand(command, ...given) };
}

interface TaskPick extends vscode.QuickPickItem {
  /** Absent if this window offers no actions for the task. */
  readonly callId?: string;
  readonly call?: RunningCall;
}

/** A server that is asked for its tasks while the picker is open. */
interface ListingServer {
  readonly label: string;
  readonly list: (token: CancellationToken) => Promise<ForeignTasks>;
}

/**
 * Shows the tasks; below them it adds the other tasks that each server lists, which are read-only.
 * Returns `undefined` when the picker is closed.
 */
async function pickTask(
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

function foreignTaskPicks(label: string, { tasks, isIncomplete, error }: ForeignTasks): TaskPick[] {
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
  return {
    working: l10n.t('Running'),
    input_required: l10n.t('Waiting for an answer'),
    completed: l10n.t('Completed'),
    failed: l10n.t('Failed'),
    cancelled: l10n.t('Cancelled'),
  }[status];
}

function runningTaskPick(call: RunningCall): TaskPick {
  return { ...runningPick(call), call };
}

/** Returns the item of a task whose server is missing in this window or configured differently. */
function unconfiguredTaskPick({ callId, server, handle, startedAt }: StoredTask): TaskPick {
  const description = l10n.t(
    '{0} · not configured here · {1}',
    quoted(server),
    formatTime(startedAt),
  );
  return { label: escapeIcons(quoted(handle.tool)), description: escapeIcons(description), callId };
}

type Tasks = Pick<RunningCalls, 'running' | 'find' | 'hide'>;

/**
 * Registers the commands of a task row other than cancelling: answering the server's question and
 * hiding the row.
 */
export function registerTaskRowCommands(tasks: Tasks): vscode.Disposable {
  const on = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    on(commands.answerTask, async (argument: unknown) => {
      const asking = tasks.running.filter(({ questions }) => questions.length > 0);
      const none = l10n.t('No task is asking you a question.');
      const callId = await chosen(argument, asking, l10n.t('Answer a question'), none);
      if (callId !== undefined) openQuestion(tasks.find(callId));
    }),
    on(commands.hideTask, async (argument: unknown) => {
      const shown = tasks.running.filter(({ task, isHidden }) => task !== undefined && !isHidden);
      const none = l10n.t('No call is running as a task.');
      const callId = await chosen(argument, shown, l10n.t('Hide a task'), none);
      if (callId !== undefined && tasks.find(callId)?.task !== undefined) tasks.hide(callId, true);
    }),
  );
}

/** Brings the server's oldest question to the front, where the user answers it. */
function openQuestion(call: RunningCall | undefined): void {
  call?.questions[0]?.open();
}

async function chosen(
  argument: unknown,
  calls: readonly RunningCall[],
  title: string,
  none: string,
): Promise<string | undefined> {
  return callIdOf(argument) ?? (await pickCall(calls.map(runningPick), title, none));
}
