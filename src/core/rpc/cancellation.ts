import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';

/**
 * Settles like `promise`, but rejects with `cancelled` as soon as `token` is cancelled. For
 * operations that cannot be cancelled themselves, such as a modal dialog.
 * @throws {McpError} cancelled | what `promise` rejects with
 */
export async function raceCancellation<T>(
  promise: Promise<T>,
  token?: CancellationToken,
): Promise<T> {
  if (token === undefined) return promise;
  let listener: { dispose(): void } | undefined;
  const cancelled = new Promise<never>((_, reject) => {
    const cancel = () => reject(new McpError('cancelled'));
    if (token.isCancellationRequested) cancel();
    else listener = token.onCancellationRequested(cancel);
  });
  try {
    return await Promise.race([promise, cancelled]);
  } finally {
    listener?.dispose();
  }
}
