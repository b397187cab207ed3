import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';

/**
 * `promise`, or a rejection with `cancelled` as soon as `token` says so, whatever the promise does
 * later. For waits on something that cannot itself be called off, a modal dialog for one.
 * @throws {McpError} cancelled | whatever `promise` rejects with
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
