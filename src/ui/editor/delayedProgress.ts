import * as vscode from 'vscode';

/** Shorter work shows no notification, because one that flashes up only disturbs. */
const noticeableMs = 700;

/**
 * Runs `work` and shows a notification with `title` if it takes longer. It has Cancel unless it is
 * not `cancellable`, and closes when `hidden` resolves. Settles as `work` does.
 */
export async function withDelayedProgress<T>(
  title: string,
  work: (token: vscode.CancellationToken) => Promise<T>,
  cancellable = true,
  hidden?: Promise<void>,
): Promise<T> {
  const cancellation = new vscode.CancellationTokenSource();
  let timer: NodeJS.Timeout | undefined;
  try {
    const running = work(cancellation.token);
    // Only the end matters here; the caller gets the result or error.
    const over = running.then(nothing, nothing);
    const shown = hidden === undefined ? over : Promise.race([over, hidden]);
    timer = setTimeout(
      () => showProgress({ title, cancellable }, shown, cancellation),
      noticeableMs,
    );
    void hidden?.then(() => clearTimeout(timer));
    return await running;
  } finally {
    clearTimeout(timer);
    cancellation.dispose();
  }
}

function showProgress(
  options: Pick<vscode.ProgressOptions, 'title' | 'cancellable'>,
  over: Promise<void>,
  cancellation: vscode.CancellationTokenSource,
): void {
  const location = vscode.ProgressLocation.Notification;
  void vscode.window.withProgress({ ...options, location }, async (_, token) => {
    const subscription = token.onCancellationRequested(() => cancellation.cancel());
    await over;
    subscription.dispose();
  });
}

function nothing(): void {}
