import { AbstractMessageReader, AbstractMessageWriter } from 'vscode-jsonrpc/node';
import type {
  DataCallback,
  Disposable,
  Message,
  MessageReader,
  MessageWriter,
} from 'vscode-jsonrpc/node';

/**
 * The reader that vscode-jsonrpc sees: it gets what `rpc.ts` lets pass. It never closes and never
 * fails, because `rpc.ts` watches the transport itself and disposes the library at its end.
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

/** Hands every message to `write`; there is no stream behind it that could close. */
export class ForwardingWriter extends AbstractMessageWriter implements MessageWriter {
  readonly write: (message: Message) => Promise<void>;

  constructor(write: (message: Message) => Promise<void>) {
    super();
    this.write = write;
  }

  end(): void {
    // The transport is ended by its owner.
  }
}
