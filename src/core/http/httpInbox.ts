import { AbstractMessageReader } from 'vscode-jsonrpc/node';
import type { DataCallback, Disposable, Message, MessageReader } from 'vscode-jsonrpc/node';
import { toMcpError } from '../errors';

/** What all answers and streams of one server bring, as one reader. */
export class HttpInbox extends AbstractMessageReader implements MessageReader {
  #callback: DataCallback | undefined;
  #isClosed = false;

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    return { dispose: () => (this.#callback = undefined) };
  }

  /** Hands out a parsed value as it came; whoever listens takes it as unknown. */
  deliver(value: unknown): void {
    try {
      if (isClaimedMessage(value)) this.#callback?.(value);
    } catch (error) {
      // Nothing that a server sends may make us throw into the event of a socket.
      this.fireError(toMcpError(error));
    }
  }

  /** Says that nothing more comes; idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.fireClose();
  }

  override dispose(): void {
    this.#callback = undefined;
    super.dispose();
  }
}

/** The type of the callback claims more than is known of anything that was received. */
function isClaimedMessage(value: unknown): value is Message {
  return value !== undefined;
}
