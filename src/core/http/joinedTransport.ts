import { randomUUID } from 'node:crypto';
import type { Message, MessageReader, MessageWriter } from 'vscode-jsonrpc/node';
import type { McpError } from '../errors';
import { isObject } from '../json/shapes';
import { isRequestId } from '../rpc/incoming';
import { ForwardingWriter } from '../rpc/innerStreams';
import type { ServerFloods } from '../rpc/serverFloods';
import type { Transport, TransportSession } from '../rpc/transport';
import { HttpInbox } from './httpInbox';
import type { HttpTransport } from './httpTransport';

/**
 * The transport of a session that another connection began. Its requests use ids that the other
 * connection did not use: the server may still answer requests of that connection, and such an
 * answer must match no request here.
 */
export class JoinedTransport implements Transport {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  readonly session: TransportSession;
  readonly floods: ServerFloods;
  readonly untilSignedIn: () => Promise<void>;
  readonly #inner: HttpTransport;
  readonly #prefix = `${randomUUID()} `;

  constructor(inner: HttpTransport) {
    this.#inner = inner;
    this.session = inner.session;
    this.floods = inner.floods;
    this.untilSignedIn = inner.untilSignedIn;
    this.writer = new ForwardingWriter((message) => inner.writer.write(this.#outgoing(message)));
    const inbox = new HttpInbox();
    this.reader = inbox;
    inner.reader.onClose(() => inbox.close());
    inner.reader.listen((value) =>
      inbox.deliver(
        Array.isArray(value) ? value.map((item) => this.#incoming(item)) : this.#incoming(value),
      ),
    );
  }

  explainEnd(): Promise<McpError> {
    return this.#inner.explainEnd();
  }

  close(manner: 'orderly' | 'atOnce'): Promise<void> {
    return this.#inner.close(manner);
  }

  #outgoing(message: Message): Message {
    if (!('method' in message)) return message;
    if ('id' in message)
      return { ...message, id: `${this.#prefix}${String(message.id)}` } as Message;
    const params: unknown = 'params' in message ? message.params : undefined;
    if (!isObject(params) || !isRequestId(params.requestId)) return message;
    const requestId = `${this.#prefix}${params.requestId}`;
    return { ...message, params: { ...params, requestId } } as Message;
  }

  #incoming(value: unknown): unknown {
    if (!isObject(value) || value.method !== undefined || value.id === undefined) return value;
    const { id } = value;
    const isOwn = typeof id === 'string' && id.startsWith(this.#prefix);
    return {
      ...value,
      id: isOwn ? Number(id.slice(this.#prefix.length)) : 'of another connection',
    };
  }
}
