import { AbstractMessageReader, AbstractMessageWriter } from 'vscode-jsonrpc/node';
import type {
  DataCallback,
  Disposable,
  Message,
  MessageReader,
  MessageWriter,
} from 'vscode-jsonrpc/node';

/**
 * The reader for vscode-jsonrpc, which gets what `rpc.ts` lets pass. It never closes or fails,
 * because `rpc.ts` watches the transport itself and disposes the library at its end.
 */
export class InnerReader extends AbstractMessageReader implements MessageReader {
  readonly #listen: (deliver: DataCallback) => Disposable;

  constructor(listen: (deliver: DataCallback) => Disposable) {
    super();
    this.#listen = listen;
  }

  listen(callback: DataCallback): Disposable {
    return this.#listen(callback);
  }
}

/** Passes every message to `write`. No stream behind it could close. */
export class ForwardingWriter extends AbstractMessageWriter implements MessageWriter {
  readonly write: (message: Message) => Promise<void>;

  constructor(write: (message: Message) => Promise<void>) {
    super();
    this.write = write;
  }

  end(): void {
    // The owner ends the transport.
  }
}
