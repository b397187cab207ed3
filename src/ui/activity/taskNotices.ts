import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { longTaskMs } from '../../host/calls/call';
import type { EndedCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import { commands, views } from '../../ids';
import { type MessageAction, notify } from '../editor/messages';
import { markOwnArgument } from '../editor/ownArguments';
import { errorSentence, quoted } from '../format/sentences';
import { callServer, callTitle } from './shownCall';

interface TaskNoticesOptions {
  readonly calls: Pick<RunningCalls, 'onDidEnd'>;
  /** Returns true while the rows of calls are visible to the user. */
  readonly isInSight: () => boolean;
  readonly notify?: typeof notify;
}

/**
 * Shows one notification for each long task that ended out of the user's sight. The code that made
 * a short task shows its result, as for any other call; agents get their own results.
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
    const { notify: show = notify } = this.#options;
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

/**
 * Shows that tasks could not be stored. `detail` comes from the store or the disk and is untrusted.
 */
export function notifyTaskProblem(detail: string): void {
  const sentence = l10n.t(
    'Tasks could not be stored and are followed only until you close this window. Details: “{0}”',
    quoted(detail),
  );
  notify('warning', sentence);
}

/** True if the window has the focus, so that the user can see its views. */
export function isWindowFocused(): boolean {
  return vscode.window.state.focused;
}
