import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { longTaskMs } from '../../host/calls/call';
import type { EndedCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import { commands, views } from '../../ids';
import { type MessageAction, tell } from '../editor/messages';
import { markOwnArgument } from '../editor/ownArguments';
import { errorSentence, quoted } from '../format/sentences';
import { callServer, callTitle } from './callNames';

export interface TaskNoticesOptions {
  readonly calls: Pick<RunningCalls, 'onDidEnd'>;
  /** Whether the user sees the rows of calls at this moment. */
  readonly isInSight: () => boolean;
  readonly tell?: typeof tell;
}

/**
 * One notification for each task that ended while the user did something else. A task that ended soon
 * is shown like any other call by whoever made it; those of agents are theirs.
 */
export class TaskNotices implements vscode.Disposable {
  readonly #options: TaskNoticesOptions;
  readonly #subscription: { dispose(): void };

  constructor(options: TaskNoticesOptions) {
    this.#options = options;
    this.#subscription = options.calls.onDidEnd((call) => this.#ended(call));
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #ended(call: EndedCall): void {
    const { origin, wasTask, isResumed, durationMs, error } = call;
    const wasLong = isResumed || durationMs >= longTaskMs;
    if (!wasTask || !wasLong || origin === 'agent' || error?.code === 'taskLeft') return;
    if (this.#options.isInSight() && !call.wasHidden) return;
    const { tell: show = tell } = this.#options;
    const [title, server] = [callTitle(call), callServer(call)];
    const showResult: MessageAction = {
      title: l10n.t('Show Result'),
      command: commands.openCallResult,
      arguments: [markOwnArgument({ callId: call.id })],
    };
    switch (call.outcome) {
      case 'result':
        show('information', l10n.t('“{0}” on “{1}” has ended.', title, server), showResult);
        return;
      case 'toolError':
        show('warning', l10n.t('“{0}” on “{1}” ended with an error.', title, server), showResult);
        return;
      case 'failed':
        if (error !== undefined) show('error', errorSentence(server, error), showCalls());
        return;
      case 'cancelled':
      case 'denied':
        return;
    }
  }
}

export function showCalls(): MessageAction {
  return { title: l10n.t('Show Calls'), command: `${views.activity}.focus` };
}

/** Told once for each kind of trouble; `detail` is what the store or the disk said, untrusted. */
export function tellTaskProblem(detail: string): void {
  const sentence = l10n.t(
    'Tasks could not be stored and are followed only until you close this window. Details: “{0}”',
    quoted(detail),
  );
  tell('warning', sentence);
}

/** The window has the focus: what stands in its views is then seen, or looked for. */
export function isWatched(): boolean {
  return vscode.window.state.focused;
}
