import * as l10n from '@vscode/l10n';
import type { Disposable } from 'vscode';
import { ShortLivedMap } from '../../core/bounds/shortLivedMap';
import { Deadlines, type DeadlineItem } from '../../core/rpc/deadlines';
import type { RunningCall } from '../../host/calls/runningCall';
import type { RunningCalls } from '../../host/calls/runningCalls';
import { callServer, callTitle } from './shownCall';
import { formatElapsed } from '../format/formatTime';

/** For shorter limits, a warning would come too late to be read. */
const leastLimitMs = 15_000;
const leastWarningMs = 5_000;
const warningShare = 0.2;
/** Interval for checking whether the clock runs again or the deadline was extended. */
const againMs = 1_000;

/** The next check of the remaining time of a call. */
interface Look extends DeadlineItem {
  readonly call: RunningCall;
}

interface DeadlineWarningsOptions {
  readonly calls: Pick<RunningCalls, 'find' | 'waitLonger' | 'onDidSend' | 'onDidEnd'>;
  readonly cancel: (callId: string) => Promise<void>;
  /** Resolves with the clicked button. */
  readonly ask: (sentence: string, ...buttons: string[]) => Thenable<string | undefined>;
  /** Shows a sentence that needs no answer. */
  readonly say: (sentence: string) => void;
}

/** Warns before a call times out, while its limit can still be extended. */
export class DeadlineWarnings implements Disposable {
  readonly #options: DeadlineWarningsOptions;
  readonly #looks = new ShortLivedMap<string, Look>();
  readonly #deadlines = new Deadlines<Look>(
    () => this.#looks.values(),
    ({ call }) => this.#watch(call),
  );
  readonly #warned = new Set<string>();
  readonly #subscriptions: readonly { dispose(): void }[];

  constructor(options: DeadlineWarningsOptions) {
    this.#options = options;
    this.#subscriptions = [
      options.calls.onDidSend((call) => this.#watch(call)),
      options.calls.onDidEnd(({ id }) => this.#forget(id)),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#deadlines.dispose();
  }

  #forget(id: string): void {
    this.#looks.delete(id);
    this.#warned.delete(id);
  }

  #watch(call: RunningCall): void {
    const { deadline, id } = call;
    if (deadline === undefined || deadline.timeoutMs < leastLimitMs) return;
    const warningMs = Math.max(deadline.timeoutMs * warningShare, leastWarningMs);
    const leftMs = deadline.remainingMs;
    // The clock does not run before the request was written, nor while the user is asked for input.
    const untilMs = leftMs === undefined ? againMs : leftMs - warningMs;
    if (leftMs !== undefined && untilMs > 0) this.#warned.delete(id);
    if (leftMs !== undefined && untilMs <= 0 && !this.#warned.has(id)) {
      this.#warned.add(id);
      void this.#warn(call, leftMs);
    }
    const delayMs = untilMs > 0 ? untilMs : againMs;
    const look = { call, deadlineAt: performance.now() + delayMs };
    this.#looks.set(id, look);
    this.#deadlines.watch(look);
  }

  async #warn(call: RunningCall, leftMs: number): Promise<void> {
    const wait = l10n.t('Wait Longer');
    const cancel = l10n.t('Cancel');
    const sentence = l10n.t(
      '“{0}” on “{1}” will be cancelled unless it answers within {2}.',
      callTitle(call),
      callServer(call),
      formatElapsed(Math.ceil(leftMs / 1_000) * 1_000),
    );
    const pressed = await this.#options.ask(sentence, wait, cancel);
    // VS Code cannot close a notification, so it may outlive its call.
    if (this.#options.calls.find(call.id) === undefined) {
      if (pressed !== undefined) this.#options.say(l10n.t('The call has already ended.'));
      return;
    }
    if (pressed === wait) this.#options.calls.waitLonger(call.id);
    if (pressed === cancel) await this.#options.cancel(call.id);
  }
}
