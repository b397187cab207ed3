import {
  type CancellationToken,
  CancellationTokenSource,
  type Disposable,
} from 'vscode-jsonrpc/node';
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

/** Resolves after `ms` milliseconds. @throws {McpError} cancelled */
export async function waitFor(ms: number, token: CancellationToken): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await raceCancellation(passed, token);
  } finally {
    clearTimeout(timer);
  }
}

/** A source that is also cancelled with each of `tokens`, until it is unlinked or disposed of. */
export class LinkedCancellationSource extends CancellationTokenSource {
  readonly #listeners: readonly (Disposable | undefined)[];

  constructor(...tokens: readonly (CancellationToken | undefined)[]) {
    super();
    // A cancelled token fires its event in a later turn.
    if (tokens.some((token) => token?.isCancellationRequested)) this.cancel();
    this.#listeners = tokens.map((token) => token?.onCancellationRequested(() => this.cancel()));
  }

  /** The base class throws if a source is cancelled twice before its token is used. */
  override cancel(): void {
    if (!this.token.isCancellationRequested) super.cancel();
  }

  /** Ends the link to the tokens. The source itself can still be cancelled. */
  unlink(): void {
    for (const listener of this.#listeners) listener?.dispose();
  }

  override dispose(): void {
    this.unlink();
    super.dispose();
  }
}
