import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { withoutIcons } from '../../core/visibleText';
import type { EndedCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import { commands } from '../../ids';
import { tell } from '../editor/messages';
import { markOwnArgument } from '../editor/ownArguments';
import type { ServerActions } from '../servers/serverActions';
import type { CallList } from './callList';
import { endedPick, pickCall, runningPick } from './callPicker';
import { callServer, callTitle } from './callNames';

export interface CallCommandsOptions {
  readonly running: Pick<RunningCalls, 'ended' | 'cancel' | 'waitLonger'>;
  readonly actions: Pick<ServerActions, 'stop'>;
  readonly list: Pick<CallList, 'running' | 'ended' | 'hasResult'>;
  /** Opens the result of a call; resolves with false when the result was not kept. */
  readonly openResult: (callId: string) => Promise<boolean>;
  /**
   * Shows the sentence with buttons and resolves with the clicked one. Defaults to a notification.
   */
  readonly ask?: (sentence: string, ...buttons: string[]) => Thenable<string | undefined>;
}

const statusMs = 5_000;

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

  async #openResult(argument: unknown): Promise<void> {
    const { list, openResult } = this.#options;
    const kept = list.ended.filter(({ id }) => list.hasResult(id));
    const callId =
      callIdOf(argument) ??
      (await pickCall(
        kept.map(endedPick),
        l10n.t('Open the result of a call'),
        l10n.t('No call has a result yet.'),
      ));
    if (callId === undefined || (await openResult(callId))) return;
    tell('information', l10n.t('The result of this call is no longer available.'), {
      title: l10n.t('Run Again'),
      command: commands.runAgain,
      arguments: [markOwnArgument({ callId })],
    });
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

function showStatus(sentence: string): void {
  vscode.window.setStatusBarMessage(withoutIcons(sentence), statusMs);
}
