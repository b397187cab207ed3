import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { RunningCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import { commands } from '../../ids';
import { callIdOf } from './callCommands';
import { pickCall, runningPick } from './callPicker';

type Tasks = Pick<RunningCalls, 'running' | 'find' | 'hide'>;

/** What the row of a task offers beside its end: answering what its server asks, and going out of sight. */
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

/** Puts what the server asked first on the screen. The user answers there. */
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
