import type { CancellationToken, Event } from 'vscode-jsonrpc/node';
import type { ElicitationRequest, ElicitationResult } from './elicitation';

/** A folder or file that the server may know of. */
export interface Root {
  /** A `file:` URI, percent-encoded. */
  readonly uri: string;
  readonly name?: string;
}

/**
 * Who answers when a server asks the person or the host for something, in whichever era.
 * One handler serves one connection, so it knows which server asks.
 */
export interface InputHandler {
  /**
   * Asks the person; called for one question at a time, but for those of tasks, which may be asked
   * later. Closing the question is `cancel`. When `token` is cancelled, the question is to be taken
   * away; what comes then is not sent.
   */
  elicit(request: ElicitationRequest, token: CancellationToken): Promise<ElicitationResult>;
  /** An answer that a call brought along. Absent or `undefined`: the user is asked. */
  writtenAnswer?(request: ElicitationRequest): ElicitationResult | undefined;
  /** The folders that may be disclosed now. Absent: none ever, and `roots` is not declared. */
  roots?(token: CancellationToken): Promise<readonly Root[]>;
  /** Told to servers of the stateful era; the stateless one has no such notice. */
  readonly onDidChangeRoots?: Event<void>;
  /** The server says that what an accepted URL began is done. */
  elicitationCompleted?(elicitationId: string): void;
}
