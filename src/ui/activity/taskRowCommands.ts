import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { RunningCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import { commands } from '../../ids';
import { callIdOf } from './callCommands';
import { pickCall, runningPick } from './callPicker';

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
export function openQuestion(call: RunningCall | undefined): void {
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
