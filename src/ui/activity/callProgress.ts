import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { longTaskMs } from '../../host/calls/call';
import type { RunningCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import { commands } from '../../ids';
import { tell } from '../editor/messages';
import { markOwnArgument } from '../editor/ownArguments';
import { callServer, callTitle } from './callNames';
import { ProgressReports } from './progressReports';
import { showCalls } from './taskNotices';

/** Calls that answer sooner show nothing: a notification that flashes up only disturbs. */
const noticeableMs = 500;

/** What is on the screen for one call, or about to be. */
interface Notice {
  readonly timer: NodeJS.Timeout;
  readonly long: NodeJS.Timeout;
  readonly over: Promise<void>;
  readonly end: () => void;
  reports?: ProgressReports;
}

/**
 * A notification for each call, from whichever origin, that shows what its server says of its
 * progress, and Cancel. It comes up a moment after the call was sent, not while the person is still
 * asked, and goes when the call has ended.
 */
export class CallNotifications implements vscode.Disposable {
  readonly #calls: Pick<RunningCalls, 'find' | 'cancel' | 'onDidChange'>;
  readonly #notices = new Map<string, Notice>();
  readonly #subscriptions: readonly { dispose(): void }[];

  constructor(
    calls: Pick<RunningCalls, 'find' | 'cancel' | 'onDidSend' | 'onDidEnd' | 'onDidChange'>,
  ) {
    this.#calls = calls;
    this.#subscriptions = [
      calls.onDidSend((call) => this.#begin(call)),
      calls.onDidEnd(({ id }) => this.#end(id)),
      calls.onDidChange(() => {
        this.#report();
        this.#leaveTasks();
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    for (const id of this.#notices.keys()) this.#end(id);
  }

  #begin(call: RunningCall): void {
    let end = nothing;
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const timer = setTimeout(() => this.#show(call), noticeableMs);
    const long = setTimeout(() => this.#leaveTasks(), longTaskMs).unref();
    this.#notices.set(call.id, { timer, long, over, end });
  }

  #show(call: RunningCall): void {
    const notice = this.#notices.get(call.id);
    if (notice === undefined) return;
    const location = vscode.ProgressLocation.Notification;
    const title = l10n.t('Calling “{0}” on “{1}”', callTitle(call), callServer(call));
    void vscode.window.withProgress({ location, title, cancellable: true }, async (out, token) => {
      const subscription = token.onCancellationRequested(() => this.#calls.cancel(call.id));
      notice.reports = new ProgressReports(out);
      this.#report();
      await notice.over;
      notice.reports.dispose();
      subscription.dispose();
    });
  }

  #report(): void {
    for (const [id, { reports }] of this.#notices) {
      const progress = this.#calls.find(id)?.progress;
      if (progress !== undefined) reports?.take(progress);
    }
  }

  /** A task that takes long has its row, and does not need the user's attention. */
  #leaveTasks(): void {
    for (const id of this.#notices.keys()) {
      const call = this.#calls.find(id);
      if (call?.task === undefined || call.origin === 'agent') continue;
      if (Date.now() - (call.sentAt ?? call.startedAt) < longTaskMs) continue;
      this.#end(id);
      tell('information', leftSentence(call), showCalls(), {
        title: l10n.t('Cancel Task'),
        command: commands.cancelCall,
        arguments: [markOwnArgument({ callId: id })],
      });
    }
  }

  #end(id: string): void {
    const notice = this.#notices.get(id);
    if (notice === undefined) return;
    this.#notices.delete(id);
    clearTimeout(notice.timer);
    clearTimeout(notice.long);
    notice.reports?.dispose();
    notice.end();
  }
}

function leftSentence(call: RunningCall): string {
  const [title, server] = [callTitle(call), callServer(call)];
  return call.isTaskKept === true
    ? l10n.t('“{0}” continues as a task on “{1}”. You can close this window.', title, server)
    : l10n.t('“{0}” continues as a task on “{1}”. The task ends with this window.', title, server);
}

/** Until the promise has told what to do. */
function nothing(): void {}
