import { HttpTransport } from '../../src/core/http/httpTransport';
import type { HttpTransportOptions } from '../../src/core/http/httpTransport';
import { Rpc } from '../../src/core/rpc/rpc';
import type { RpcRequestOptions } from '../../src/core/rpc/rpc';
import type { AnswerRequest } from '../../src/core/rpc/serverRequests';
import type { Transport } from '../../src/core/rpc/transport';
import type { McpError } from '../../src/core/errors';
import { HttpServer, type Handler } from '../servers/httpServer';
import { RecordingLog } from './wire';

export interface HttpWireOptions extends Partial<HttpTransportOptions> {
  readonly answerRequest?: AnswerRequest;
  readonly requestTimeoutMs?: number;
}

/** The real requests over the real transport; the far end is a server of the test. */
export class HttpWire {
  readonly log: RecordingLog;
  readonly notifications: string[] = [];
  readonly garbage: string[];
  readonly rpc: Rpc;
  readonly ended: Promise<McpError | undefined>;
  readonly #transport: Transport;

  constructor(
    transport: Transport,
    log: RecordingLog,
    garbage: string[],
    options: HttpWireOptions,
  ) {
    this.#transport = transport;
    this.log = log;
    this.garbage = garbage;
    this.rpc = new Rpc(transport, {
      log,
      limits: { requestTimeoutMs: options.requestTimeoutMs ?? 60_000, callCeilingMs: 600_000 },
      onNotification: (method) => this.notifications.push(method),
      answerRequest: options.answerRequest ?? (() => ({})),
      onGarbage: (text) => garbage.push(text),
    });
    this.ended = new Promise((resolve) => this.rpc.onDidEnd(resolve));
  }

  static to(url: string, options: HttpWireOptions = {}): HttpWire {
    const log = new RecordingLog();
    const garbage: string[] = [];
    const transport = new HttpTransport({
      url,
      log,
      maxMessageBytes: 1_000_000,
      maxMessageValues: 500_000,
      onGarbage: (text) => garbage.push(text),
      ...options,
    });
    return new HttpWire(transport, log, garbage, options);
  }

  request(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    options: RpcRequestOptions = {},
  ): Promise<unknown> {
    return this.rpc.request(method, params, (result) => result, options);
  }

  /** The handshake of the stateful era. */
  async open(): Promise<unknown> {
    const result = await this.request('initialize', { protocolVersion: '2025-11-25' });
    this.rpc.notify('notifications/initialized');
    return result;
  }

  call(text = '', options: RpcRequestOptions = {}): Promise<unknown> {
    return this.request('tools/call', { name: 'echo', arguments: { text } }, options);
  }

  async end(): Promise<void> {
    this.rpc.end(undefined, 'orderly');
    await this.#transport.close('orderly');
  }
}

/** Runs `act` between a fresh server and a fresh connection, and ends both. */
export async function wiredTo<T>(
  handler: Handler,
  act: (wire: HttpWire, server: HttpServer) => Promise<T>,
  options?: HttpWireOptions,
): Promise<T> {
  const server = await HttpServer.start(handler);
  const wire = HttpWire.to(server.url, options);
  try {
    return await act(wire, server);
  } finally {
    await wire.end();
    await server.stop();
  }
}
