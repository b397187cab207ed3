import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { withoutIcons } from '../../core/visibleText';
import type { RunningCall } from '../../host/calls/ongoingCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import type { KeptTask } from '../../host/tasks/keptTask';
import type { KeptTasks } from '../../host/tasks/keptTasks';
import type { TaskKeeper } from '../../host/tasks/taskKeeper';
import { commands, views } from '../../ids';
import { tell } from '../editor/messages';
import { formatTime } from '../format/formatTime';
import { quoted } from '../format/sentences';
import { startCommand } from '../format/startCommand';
import { callServer, callTitle } from './callNames';
import { formatRunningCall } from './formatCall';

export interface TaskCommandOptions {
  readonly running: Pick<RunningCalls, 'running' | 'cancel'>;
  readonly store: Pick<KeptTasks, 'all'>;
  readonly keeper: Pick<TaskKeeper, 'forget' | 'look'>;
}

type TaskPick = vscode.QuickPickItem & {
  readonly callId: string;
  readonly call?: RunningCall;
};

type Action = vscode.QuickPickItem & { readonly run: () => Thenable<unknown> | void };

/** The command `Tasks…`: every task that goes on or is kept, and what can be done about each. */
export class TaskCommand {
  readonly #options: TaskCommandOptions;

  constructor(options: TaskCommandOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    return vscode.commands.registerCommand(commands.listTasks, () => this.#list());
  }

  async #list(): Promise<void> {
    const { keeper } = this.#options;
    await keeper.look();
    const picks = await this.#picks();
    if (picks.length === 0) {
      tell('information', l10n.t('No call runs as a task.'));
      return;
    }
    const title = l10n.t('Tasks');
    const placeHolder = l10n.t('Choose a task');
    const options = { title, placeHolder, matchOnDescription: true };
    const pick = await vscode.window.showQuickPick(picks, options);
    if (pick === undefined) return;
    const action = await vscode.window.showQuickPick(this.#actions(pick), { title: pick.label });
    await action?.run();
  }

  async #picks(): Promise<readonly TaskPick[]> {
    const running = this.#options.running.running.filter(({ task }) => task !== undefined);
    const shown = new Set(running.map(({ id }) => id));
    // What cannot be read was told of before.
    const kept = await this.#options.store.all().catch(() => []);
    const others = kept.filter(({ callId }) => !shown.has(callId));
    return [...running.map(runningPick), ...others.map(otherPick)];
  }

  #actions({ callId, call }: TaskPick): Action[] {
    const { running, keeper } = this.#options;
    const forget: Action = {
      label: l10n.t('Forget'),
      detail: l10n.t('The server may go on with it. Its result is not shown.'),
      run: () => keeper.forget(callId),
    };
    if (call === undefined) return [forget];
    const isLeft = call.taskPlace === 'left';
    return [
      {
        label: l10n.t('Show Calls'),
        run: () => vscode.commands.executeCommand(`${views.activity}.focus`),
      },
      ...(isLeft ? [startAction(call)] : []),
      { label: l10n.t('Cancel Task'), run: () => void running.cancel(callId) },
      ...(isLeft ? [forget] : []),
    ];
  }
}

function startAction({ server }: RunningCall): Action {
  const { title, command, arguments: given = [] } = startCommand(server);
  return { label: title, run: () => vscode.commands.executeCommand(command, ...given) };
}

function runningPick(call: RunningCall): TaskPick {
  const words = l10n.t('{0} · {1}', callServer(call), formatRunningCall(call, Date.now()));
  return {
    label: withoutIcons(callTitle(call)),
    description: withoutIcons(words),
    callId: call.id,
    call,
  };
}

/** Of a server that this window does not have, or has otherwise. */
function otherPick({ callId, server, handle, startedAt }: KeptTask): TaskPick {
  const words = l10n.t('{0} · not configured here · {1}', quoted(server), formatTime(startedAt));
  return { label: withoutIcons(quoted(handle.tool)), description: withoutIcons(words), callId };
}
