import { HttpTransport } from '../../src/core/http/httpTransport';
import type { HttpTransportOptions } from '../../src/core/http/httpTransport';
import { Rpc } from '../../src/core/rpc/rpc';
import type { RpcRequestOptions } from '../../src/core/rpc/rpc';
import type { AnswerRequest } from '../../src/core/rpc/serverRequests';
import type { Transport } from '../../src/core/rpc/transport';
import type { McpError } from '../../src/core/errors';
import { HttpServer, stateful, type Handler, type StatefulOptions } from '../servers/httpServer';
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

/** A server, or what makes a stateful one special. */
export type Far = Handler | StatefulOptions;

interface Wired {
  readonly wire: HttpWire;
  readonly server: HttpServer;
}

/**
 * `wired` connects to a fresh server, `opened` shakes hands, too. After each test both ends are closed; what
 * was opened is checked with `atEnd` before.
 */
export function useHttpWires(atEnd?: (wire: HttpWire) => Promise<void>) {
  const all: (Wired & { readonly isOpen?: boolean })[] = [];
  afterEach(async () => {
    for (const { wire, server, isOpen } of all.splice(0)) {
      if (isOpen === true) await atEnd?.(wire);
      await wire.end();
      await server.stop();
    }
  });
  const wired = async (far: Far = {}, options?: HttpWireOptions, isOpen = false) => {
    const server = await HttpServer.start(typeof far === 'function' ? far : stateful(far));
    const wire = HttpWire.to(server.url, options);
    all.push({ wire, server, isOpen });
    return { wire, server };
  };
  const opened = async (far: Far = {}, options?: HttpWireOptions): Promise<Wired> => {
    const both = await wired(far, options, true);
    await both.wire.open();
    return both;
  };
  return { wired, opened };
}
