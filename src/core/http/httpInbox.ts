import { AbstractMessageReader, Emitter } from 'vscode-jsonrpc/node';
import type { DataCallback, Disposable, Message, MessageReader } from 'vscode-jsonrpc/node';
import { toMcpError } from '../errors';
import type { ServerFloods } from '../rpc/serverFloods';

const maxGarbageChars = 4096;

/** What all answers and streams of one server bring, as one reader. */
export class HttpInbox extends AbstractMessageReader implements MessageReader {
  #callback: DataCallback | undefined;
  #isClosed = false;
  readonly #onUnreadable = new Emitter<string>();
  /** The beginning of what is no JSON: untrusted, at most 4,096 characters. */
  readonly onUnreadable = this.#onUnreadable.event;

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

  /** For what came in the place of a message and is no JSON; `onGarbage` hears the beginning of each. */
  garbage(text: string, floods: ServerFloods, onGarbage?: (text: string) => void): void {
    if (!floods.takesGarbage()) return;
    const beginning = text.slice(0, maxGarbageChars);
    onGarbage?.(beginning);
    this.#onUnreadable.fire(beginning);
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
