import * as vscode from 'vscode';
import type { Progress } from '../../core/types';
import { quoted } from '../words/sentences';

/** What the work tells while it goes on. */
export interface CallProgress {
  readonly token: vscode.CancellationToken;
  readonly onSending: () => void;
  readonly onProgress: (progress: Progress) => void;
}

type Report = vscode.Progress<{ message?: string; increment?: number }>;

/** Calls that answer sooner show nothing: a notification that flashes up only disturbs. */
const noticeableMs = 500;

/**
 * Runs a call with a notification that shows what the server says of its progress, and Cancel. It
 * comes up a moment after the call was sent, not while the person is still asked. Settles as
 * `work` does.
 */
export async function withCallProgress<T>(
  title: string,
  work: (progress: CallProgress) => Promise<T>,
): Promise<T> {
  const cancellation = new vscode.CancellationTokenSource();
  let timer: NodeJS.Timeout | undefined;
  let reports: Reports | undefined;
  let latest: Progress | undefined;
  let running: Promise<T> | undefined;

  const show = () => {
    const location = vscode.ProgressLocation.Notification;
    void vscode.window.withProgress({ location, title, cancellable: true }, async (out, token) => {
      const subscription = token.onCancellationRequested(() => cancellation.cancel());
      reports = new Reports(out);
      if (latest !== undefined) reports.show(latest);
      // Whoever awaits the call hears how it went; here only its end matters.
      await running?.then(undefined, () => undefined);
      subscription.dispose();
    });
  };
  try {
    running = work({
      token: cancellation.token,
      onSending: () => {
        timer ??= setTimeout(show, noticeableMs);
      },
      onProgress: (progress) => {
        latest = progress;
        reports?.show(progress);
      },
    });
    return await running;
  } finally {
    clearTimeout(timer);
    cancellation.dispose();
  }
}

/** VS Code takes differences of percents; the protocol sends how much is done. */
class Reports {
  readonly #out: Report;
  #percent = 0;

  constructor(out: Report) {
    this.#out = out;
  }

  show({ progress, total, message }: Progress): void {
    const percent = total === undefined || total <= 0 ? this.#percent : (progress / total) * 100;
    const increment = Math.min(100, percent) - this.#percent;
    this.#percent += Math.max(0, increment);
    this.#out.report({
      ...(message === undefined ? {} : { message: quoted(message) }),
      ...(increment > 0 ? { increment } : {}),
    });
  }
}
