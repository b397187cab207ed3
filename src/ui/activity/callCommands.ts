import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { EndedCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import { commands, views } from '../../ids';
import { notifyFailedCall } from '../calls/callRunner';
import { notify, showStatus } from '../editor/messages';
import { isOwnArgument, markOwnArgument } from '../editor/ownArguments';
import type { ServerActions } from '../servers/serverActions';
import type { CallList } from './callList';
import { endedPick, pickCall, runningPick } from './callPicker';
import { callServer, callTitle } from './shownCall';
import type { ActivityRow } from './callRows';

interface CallCommandsOptions {
  readonly running: Pick<RunningCalls, 'ended' | 'cancel' | 'waitLonger'>;
  readonly actions: Pick<ServerActions, 'stop'>;
  readonly list: Pick<CallList, 'running' | 'ended' | 'hasResult'>;
  /** Opens the result of a call; resolves with false when the result was not kept. */
  readonly openResult: (callId: string) => Promise<boolean>;
  /** Resolves with the rows that a keyboard command applies to. */
  readonly focused: () => Promise<readonly ActivityRow[]>;
  /**
   * Shows the sentence with buttons and resolves with the clicked one. Defaults to a notification.
   */
  readonly ask?: (sentence: string, ...buttons: string[]) => Thenable<string | undefined>;
}

/** Argument that a keybinding in the manifest passes in place of a row. */
export const byFocus = 'focus';

/** User commands for running and ended calls; each takes a row or shows a picker. */
export class CallCommands {
  readonly #options: CallCommandsOptions;

  constructor(options: CallCommandsOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      on(commands.cancelCall, (argument) => this.#cancelCommand(argument)),
      on(commands.cancelTask, (argument) => this.#cancelTask(argument)),
      on(commands.waitLonger, (argument) => this.#waitLonger(argument)),
      on(commands.openCallResult, (argument) => this.#openResult(argument)),
    );
  }

  /**
   * Updates the screen immediately; the server may still be busy with a call that was cancelled
   * earlier.
   */
  async cancel(callId: string): Promise<void> {
    const { running } = this.#options;
    switch (running.cancel(callId)) {
      case 'cancelled':
        return;
      case 'over':
        return showStatus(l10n.t('The call has already ended.'));
      case 'unanswered':
        return this.#offerStop(running.ended.find(({ id }) => id === callId));
    }
  }

  async #offerStop(call: EndedCall | undefined): Promise<void> {
    if (call === undefined) return;
    const ask = this.#options.ask ?? vscode.window.showWarningMessage;
    const stop = l10n.t('Stop Server');
    const sentence = l10n.t(
      '“{0}” was cancelled, but server “{1}” may still be working on it. Stop the server and all of its calls?',
      callTitle(call),
      callServer(call),
    );
    if ((await ask(sentence, stop)) === stop) await this.#options.actions.stop(call.server);
  }

  async #cancelCommand(argument: unknown): Promise<void> {
    const { running, ended } = this.#options.list;
    const unanswered = ended.filter((call) => call.isUnanswered);
    const callId =
      callIdOf(argument) ??
      (await pickCall(
        [...running.map(runningPick), ...unanswered.map(endedPick)],
        l10n.t('Cancel a call'),
        l10n.t('No call is running.'),
      ));
    if (callId !== undefined) await this.cancel(callId);
  }

  async #cancelTask(argument: unknown): Promise<void> {
    const tasks = this.#options.list.running.filter(({ task }) => task !== undefined);
    const callId =
      callIdOf(argument) ??
      (await pickCall(
        tasks.map(runningPick),
        l10n.t('Cancel Task'),
        l10n.t('No call is running as a task.'),
      ));
    if (callId !== undefined) await this.cancel(callId);
  }

  async #waitLonger(argument: unknown): Promise<void> {
    const { running, list } = this.#options;
    const sent = list.running.filter(({ phase }) => phase === 'running');
    const callId =
      callIdOf(argument) ??
      (await pickCall(
        sent.map(runningPick),
        l10n.t('Give a call more time'),
        l10n.t('No call is running.'),
      ));
    if (callId === undefined) return;
    const isGiven = running.waitLonger(callId);
    showStatus(
      isGiven
        ? l10n.t('The time limit of the call starts again.')
        : l10n.t('The call has already ended.'),
    );
  }

  /** Opens a result. A click leaves the focus on the row; Enter moves it to the result. */
  async #openResult(argument: unknown): Promise<void> {
    if (argument !== byFocus) {
      await this.#open(callIdOf(argument) ?? (await this.#pickResult()));
      if (isOwnArgument(argument)) await vscode.commands.executeCommand(`${views.activity}.focus`);
      return;
    }
    const [row] = await this.#options.focused();
    if (row === undefined) return;
    // The row may be a day.
    if (!('callId' in row)) await vscode.commands.executeCommand('list.toggleExpand');
    else await this.#open(row.callId);
  }

  #pickResult(): Promise<string | undefined> {
    const { list } = this.#options;
    const kept = list.ended.filter(({ id }) => list.hasResult(id));
    return pickCall(
      kept.map(endedPick),
      l10n.t('Open the result of a call'),
      l10n.t('No call has a result yet.'),
    );
  }

  async #open(callId: string | undefined): Promise<void> {
    const { list, openResult } = this.#options;
    if (callId === undefined || list.running.some(({ id }) => id === callId)) return;
    if (await openResult(callId)) return;
    const call = list.ended.find(({ id }) => id === callId);
    if (call?.error === undefined) {
      notify('information', l10n.t('The result of this call is no longer available.'), {
        title: l10n.t('Run Again'),
        command: commands.runAgain,
        arguments: [markOwnArgument({ callId })],
      });
      return;
    }
    notifyFailedCall({ id: call.server, label: call.serverLabel }, call.error, callId);
  }
}

function on(command: string, run: (argument: unknown) => Promise<void>): vscode.Disposable {
  return vscode.commands.registerCommand(command, run);
}

/** Returns the call id of a row. */
export function callIdOf(argument: unknown): string | undefined {
  if (typeof argument !== 'object' || argument === null || !('callId' in argument)) {
    return undefined;
  }
  return typeof argument.callId === 'string' ? argument.callId : undefined;
}
