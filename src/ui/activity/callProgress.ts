import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ShortLivedMap } from '../../core/bounds/shortLivedMap';
import { Deadlines } from '../../core/rpc/deadlines';
import { longTaskMs } from '../../host/calls/call';
import type { RunningCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import type { ServerRegistry } from '../../host/connections/registry';
import { commands } from '../../ids';
import { notify } from '../editor/messages';
import { markOwnArgument } from '../editor/ownArguments';
import { callServer, callTitle } from './shownCall';
import { ProgressReports } from './progressReports';
import { showCalls } from './taskNotices';

/** Faster calls show nothing, because a notification that flashes up is distracting. */
const noticeableMs = 500;

/** A notification for one call, shown or scheduled. */
interface Notice {
  readonly call: RunningCall;
  /** Time at which it is shown; once it is shown, the time at which a task counts as long. */
  deadlineAt: number;
  /** Closes the notification. Absent until it is shown. */
  end?: () => void;
  reports?: ProgressReports;
}

/**
 * A notification with progress and Cancel for each call of any origin. It appears a moment after
 * the call was sent, not while the user is still being asked, and closes when the call ends.
 */
export class CallNotifications implements vscode.Disposable {
  readonly #calls: Pick<RunningCalls, 'find' | 'cancel' | 'onDidChange'>;
  readonly #registry: Pick<ServerRegistry, 'find'> | undefined;
  readonly #notices = new ShortLivedMap<string, Notice>();
  /** All notices share one timer, because most calls end before anything is shown. */
  readonly #deadlines = new Deadlines<Notice>(
    () => this.#notices.values(),
    (notice) => this.#takeNext(notice),
  );
  readonly #subscriptions: readonly { dispose(): void }[];

  constructor(
    calls: Pick<RunningCalls, 'find' | 'cancel' | 'onDidSend' | 'onDidEnd' | 'onDidChange'>,
    registry?: Pick<ServerRegistry, 'find' | 'onDidChange'>,
  ) {
    this.#calls = calls;
    this.#registry = registry;
    this.#subscriptions = [
      ...(registry === undefined ? [] : [registry.onDidChange(() => this.#report())]),
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
    this.#deadlines.dispose();
  }

  #begin(call: RunningCall): void {
    const notice = { call, deadlineAt: performance.now() + noticeableMs };
    this.#notices.set(call.id, notice);
    this.#deadlines.watch(notice);
  }

  #takeNext(notice: Notice): void {
    const isShown = notice.end !== undefined;
    notice.deadlineAt = isShown ? Infinity : performance.now() + longTaskMs - noticeableMs;
    if (isShown) this.#leaveTasks();
    else {
      this.#show(notice);
      this.#deadlines.watch(notice);
    }
  }

  #show(notice: Notice): void {
    const { call } = notice;
    let end = nothing;
    const over = new Promise<void>((resolve) => (end = resolve));
    notice.end = end;
    const location = vscode.ProgressLocation.Notification;
    const title = l10n.t('Calling “{0}” on “{1}”', callTitle(call), callServer(call));
    void vscode.window.withProgress({ location, title, cancellable: true }, async (out, token) => {
      const subscription = token.onCancellationRequested(() => this.#calls.cancel(call.id));
      notice.reports = new ProgressReports(out);
      this.#report();
      await over;
      notice.reports.dispose();
      subscription.dispose();
    });
  }

  #report(): void {
    for (const [id, { call, reports }] of this.#notices) {
      reports?.setWaiting(
        isSigningIn(this.#registry, call.server) ? l10n.t('Waiting for sign-in') : '',
      );
      const progress = this.#calls.find(id)?.progress;
      if (progress !== undefined) reports?.take(progress);
    }
  }

  /**
   * Replaces the progress notification of a long task, which has a row and does not need the user's
   * attention.
   */
  #leaveTasks(): void {
    for (const id of this.#notices.keys()) {
      const call = this.#calls.find(id);
      if (call?.task === undefined || call.origin === 'agent') continue;
      if (Date.now() - (call.sentAt ?? call.startedAt) < longTaskMs) continue;
      this.#end(id);
      notify('information', leftSentence(call), showCalls(), {
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
    notice.reports?.dispose();
    notice.end?.();
  }
}

/** Returns true while the server of a call waits for the user to sign in. */
export function isSigningIn(
  registry: Pick<ServerRegistry, 'find'> | undefined,
  serverId: string,
): boolean {
  return registry?.find(serverId)?.signIn?.kind === 'signingIn';
}

function leftSentence(call: RunningCall): string {
  const [title, server] = [callTitle(call), callServer(call)];
  return call.isTaskKept === true
    ? l10n.t('“{0}” continues as a task on “{1}”. You can close this window.', title, server)
    : l10n.t('“{0}” continues as a task on “{1}”. The task ends with this window.', title, server);
}

/** Placeholder until the promise executor assigns its resolver. */
function nothing(): void {}
