import * as vscode from 'vscode';

/** Shorter work than this shows nothing: a notification that flashes up only disturbs. */
const noticeableMs = 700;

/**
 * Runs `work`, and shows a notification with `title` if it is not done after a moment, with Cancel
 * unless it is not `cancellable`. Settles as `work` does.
 */
export async function withDelayedProgress<T>(
  title: string,
  work: (token: vscode.CancellationToken) => Promise<T>,
  cancellable = true,
): Promise<T> {
  const cancellation = new vscode.CancellationTokenSource();
  let timer: NodeJS.Timeout | undefined;
  try {
    const running = work(cancellation.token);
    timer = setTimeout(
      () => showProgress({ title, cancellable }, running, cancellation),
      noticeableMs,
    );
    return await running;
  } finally {
    clearTimeout(timer);
    cancellation.dispose();
  }
}

function showProgress(
  options: Pick<vscode.ProgressOptions, 'title' | 'cancellable'>,
  running: Promise<unknown>,
  cancellation: vscode.CancellationTokenSource,
): void {
  const location = vscode.ProgressLocation.Notification;
  void vscode.window.withProgress({ ...options, location }, async (_, token) => {
    const subscription = token.onCancellationRequested(() => cancellation.cancel());
    // Only the end matters here; whoever awaits the work hears how it went.
    await running.then(undefined, () => undefined);
    subscription.dispose();
  });
}
