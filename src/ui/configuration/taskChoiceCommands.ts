import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { longTaskMs } from '../../host/calls/call';
import type { EndedCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import type { TaskChoices } from '../../host/configuration/toolChoices';
import type { ServerRegistry } from '../../host/connections/registry';
import { isFromUser } from '../../host/consent/facts/callFacts';
import { commands } from '../../ids';
import { notify } from '../editor/messages';
import { confirmIfForeign, markOwnArgument, commandTarget } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import { pickToolOf } from '../servers/serverPicker';
import { remembered } from './disableCommands';

interface TaskChoiceOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'find' | 'reassessMarks'>;
  readonly taskChoices: TaskChoices;
  readonly running: Pick<RunningCalls, 'onDidEnd'>;
  readonly notify?: typeof notify;
}

/**
 * Registers the choice whether a tool runs as a task: from its row, by a picker, or after a long
 * call.
 */
export function registerTaskChoices(options: TaskChoiceOptions): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    options.taskChoices.onDidChange(() => options.registry.reassessMarks()),
    options.running.onDidEnd((call) => offerTask(options, call)),
    register(commands.runAsTask, (row: unknown) => choose(options, row, true)),
    register(commands.runDirectly, (row: unknown) => choose(options, row, false)),
  );
}

async function choose(
  { registry, taskChoices }: TaskChoiceOptions,
  row: unknown,
  isTask: boolean,
): Promise<void> {
  const { serverId, toolName } = commandTarget(row);
  const isNamed = serverId !== undefined && toolName !== undefined;
  const picked = isNamed
    ? { serverId, toolName }
    : await pickToolOf(registry.servers, {
        isFitting: ({ taskChoice }) => taskChoice === (isTask ? 'direct' : 'task'),
        title: isTask ? l10n.t('Run as Task') : l10n.t('Run Directly'),
        none: l10n.t('No tool of a running server offers this choice.'),
      });
  const server = picked && registry.find(picked.serverId);
  if (picked === undefined || server === undefined) return;
  if (isNamed && !(await agreesToChoice(row, quoted(toolName), isTask))) return;
  await remembered(() => taskChoices.choose(server.config, picked.toolName, isTask));
}

/** `name` is already quoted. */
function agreesToChoice(row: unknown, name: string, isTask: boolean): Promise<boolean> {
  return isTask
    ? confirmIfForeign(row, l10n.t('Run “{0}” as a task from now on?', name), l10n.t('Run as Task'))
    : confirmIfForeign(
        row,
        l10n.t('Run “{0}” directly from now on?', name),
        l10n.t('Run Directly'),
      );
}

/** Offers it after a long call of the user, once for each tool. */
export function offerTask(
  { registry, taskChoices, notify: show = notify }: TaskChoiceOptions,
  call: EndedCall,
): void {
  const { server: serverId, tool: toolName, origin, durationMs, wasTask } = call;
  if (wasTask || durationMs < longTaskMs || !isFromUser(origin)) return;
  const server = registry.find(serverId);
  const entry = server?.tools.find(({ tool }) => tool.name === toolName);
  if (server === undefined || entry?.taskChoice !== 'direct') return;
  if (!taskChoices.isFirstOffer(server.config, toolName)) return;
  show(
    'information',
    l10n.t('A call of “{0}” took long. The tool can also run as a task.', quoted(toolName)),
    {
      title: l10n.t('Run as Task'),
      command: commands.runAsTask,
      arguments: [markOwnArgument({ serverId, toolName })],
    },
  );
}
