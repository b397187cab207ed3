import type { CancellationToken, Event } from 'vscode-jsonrpc/node';
import type { ElicitationRequest, ElicitationResult } from './elicitation';

/** A folder or file that the server may know about. */
export interface Root {
  /** A `file:` URI, percent-encoded. */
  readonly uri: string;
  readonly name?: string;
}

/**
 * Answers a server's requests to the user or the host, in either era. A handler serves one
 * connection, so it knows which server asks.
 */
export interface InputHandler {
  /**
   * Asks the user. Called for one question at a time, except for those of tasks, which may be asked
   * later. Closing the question means `cancel`. When `token` is cancelled, the question has to be
   * closed and its answer is ignored.
   */
  elicit(request: ElicitationRequest, token: CancellationToken): Promise<ElicitationResult>;
  /**
   * Returns an answer that the call provides. The user is asked if it is absent or returns
   * `undefined`.
   */
  writtenAnswer?(request: ElicitationRequest): ElicitationResult | undefined;
  /** Returns the folders that may be disclosed now. If absent, `roots` is not declared. */
  roots?(token: CancellationToken): Promise<readonly Root[]>;
  /**
   * Reported to servers of the stateful era; the stateless one has no such notification.
   */
  readonly onDidChangeRoots?: Event<void>;
  /** Called when the server says that the step after an accepted URL is complete. */
  elicitationCompleted?(elicitationId: string): void;
}
