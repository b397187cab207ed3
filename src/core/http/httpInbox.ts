import {
  AbstractMessageReader,
  Emitter,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageReader,
} from 'vscode-jsonrpc/node';
import { toMcpError } from '../errors';
import type { ServerFloods } from '../rpc/serverFloods';
import { jsonOrAbsent } from '../json/parseJson';
import type { MessageLimits } from '../rpc/messageLimits';
import { SseStream } from './sseStream';

const maxGarbageChars = 4096;

/** One reader for the messages of all answers and streams of one server. */
export class HttpInbox extends AbstractMessageReader implements MessageReader {
  #callback: DataCallback | undefined;
  #isClosed = false;
  readonly #onUnreadable = new Emitter<string>();
  /**
   * Fires with the beginning of a message that is not JSON: untrusted, at most 4,096 characters.
   */
  readonly onUnreadable = this.#onUnreadable.event;

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    return { dispose: () => (this.#callback = undefined) };
  }

  /** Delivers a parsed value unchecked; listeners treat it as unknown. */
  deliver(value: unknown): void {
    try {
      if (isClaimedMessage(value)) this.#callback?.(value);
    } catch (error) {
      // Data from a server must never throw into a socket's event handler.
      this.fireError(toMcpError(error));
    }
  }

  /** Reports a message that is not JSON; `onGarbage` gets the beginning of each. */
  garbage(text: string, floods: ServerFloods, onGarbage?: (text: string) => void): void {
    if (!floods.takesGarbage()) return;
    const beginning = text.slice(0, maxGarbageChars);
    onGarbage?.(beginning);
    this.#onUnreadable.fire(beginning);
  }

  /** Ends the reader; idempotent. */
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

/** The callback's type promises more than is known about received data. */
function isClaimedMessage(value: unknown): value is Message {
  return value !== undefined;
}

/** Receives the events of a stream. */
export interface MessageSink {
  /** Called with the parsed value of an event of type `message`. */
  deliver(value: unknown): void;
  /**
   * Called with the data of such an event that is not JSON; with the beginning if it is very large.
   * Untrusted.
   */
  garbage(text: string): void;
  /** Called for events of other types. If absent, they are ignored. */
  other?(type: string, data: string): void;
}

/** Creates a stream whose events are messages; very large ones are parsed while they arrive. */
export function messageStream(limits: MessageLimits, sink: MessageSink): SseStream {
  return new SseStream(
    limits,
    (type, data) => {
      if (type !== 'message') {
        sink.other?.(type, data);
        return;
      }
      const value = jsonOrAbsent(data);
      if (value === undefined) sink.garbage(data);
      else sink.deliver(value);
    },
    (type, data) => {
      if (type !== 'message') return;
      if (data.kind === 'garbage') sink.garbage(data.excerpt);
      else sink.deliver(data.value);
    },
  );
}
