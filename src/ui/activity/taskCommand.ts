import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { RunningCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import type { ServerRegistry } from '../../host/connections/registry';
import { listForeignTasks } from '../../host/tasks/foreignTasks';
import type { StoredTasks, StoredTask } from '../../host/tasks/storedTasks';
import type { TaskKeeper } from '../../host/tasks/taskKeeper';
import { commands, views } from '../../ids';
import { notify } from '../editor/messages';
import { startCommand } from '../format/startCommand';
import { unconfiguredTaskPick, runningTaskPick, pickTask, type ListingServer } from './taskPicker';
import { openQuestion } from './taskRowCommands';

export interface TaskCommandOptions {
  readonly running: Pick<RunningCalls, 'running' | 'cancel' | 'hide' | 'knowsTask'>;
  readonly store: Pick<StoredTasks, 'all'>;
  readonly keeper: Pick<TaskKeeper, 'forget' | 'look'>;
  readonly registry: Pick<ServerRegistry, 'servers' | 'client'>;
}

type Action = vscode.QuickPickItem & { readonly run: () => Thenable<unknown> | void };

/**
 * The command `Tasks…`: lists all running and kept tasks with their actions, followed by tasks that
 * only servers know.
 */
export class TaskCommand {
  readonly #options: TaskCommandOptions;

  constructor(options: TaskCommandOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    return vscode.commands.registerCommand(commands.listTasks, () => this.#list());
  }

  async #list(): Promise<void> {
    const { keeper, store, running: calls } = this.#options;
    await keeper.look();
    const running = calls.running.filter(({ task }) => task !== undefined);
    const shown = new Set(running.map(({ id }) => id));
    // Read errors were already reported.
    const kept = await store.all().catch(() => []);
    const others = kept.filter(({ callId }) => !shown.has(callId));
    const picks = [...running.map(runningTaskPick), ...others.map(unconfiguredTaskPick)];
    const servers = this.#listingServers(kept);
    if (picks.length === 0 && servers.length === 0) {
      notify('information', l10n.t('No call is running as a task.'));
      return;
    }
    const pick = await pickTask(picks, servers);
    if (pick?.callId === undefined) return;
    const actions = this.#actions(pick.callId, pick.call);
    const action = await vscode.window.showQuickPick(actions, { title: pick.label });
    await action?.run();
  }

  /** Returns the running servers that support listing tasks. */
  #listingServers(kept: readonly StoredTask[]): readonly ListingServer[] {
    const { registry, running } = this.#options;
    return registry.servers.flatMap(({ config: { id, label }, state }) => {
      if (state.kind !== 'running') return [];
      const client = registry.client(id);
      if (!client.capabilities.taskLists) return [];
      const own = new Set(
        kept.flatMap(({ server, handle }) => (server === id ? handle.taskId : [])),
      );
      const isKnown = (taskId: string) => own.has(taskId) || running.knowsTask(id, taskId);
      return [{ label, list: (token) => listForeignTasks(client, isKnown, token) }];
    });
  }

  #actions(callId: string, call: RunningCall | undefined): Action[] {
    const { running, keeper } = this.#options;
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
}

function startAction({ server }: RunningCall): Action {
  const { title, command, arguments: given = [] } = startCommand(server);
  return { label: title, run: () => vscode.commands.executeCommand(command, ...given) };
}
