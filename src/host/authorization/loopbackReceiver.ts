import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { RedirectReceiver } from '../../core/auth/ports';
import { McpError } from '../../core/errors';
import { pageHeaders, receiverPage, type ReceiverTexts } from './receiverPage';
import { maxRedirectChars, readRedirectQuery } from './redirectAnswer';

export interface LoopbackReceiverOptions {
  /** The one of a stored registration; where it is taken, or absent, any free one. */
  readonly port?: number;
  /**
   * What the browser reaches the given address by: `vscode.env.asExternalUri`, which opens a tunnel
   * where the editor runs elsewhere. The given one where there is none.
   */
  readonly externalAddress: (address: string) => Promise<string>;
  readonly texts: ReceiverTexts;
}

const host = '127.0.0.1';
const path = '/callback';
/** Browsers send the cookies of every server of this machine along. */
const maxHeaderBytes = 16 * 1024;
/** A browser needs some, and sends at once what it has to say. */
const maxConnections = 16;
const requestMs = 5_000;
const checkMs = 1_000;
/** A person who went away has to begin anew. */
const waitMs = 10 * 60 * 1_000;

/**
 * A listener of this machine for the one answer of one sign-in. Whatever else comes gets 400 and
 * changes nothing; who holds a connection without asking loses it to the next one.
 */
export class LoopbackReceiver implements RedirectReceiver {
  readonly #server: Server;
  readonly #texts: ReceiverTexts;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #address = '';
  #hosts: readonly string[] = [];
  #awaited: { readonly state: string; readonly resolve: (answer: URL) => void } | undefined;
  #end: ((error: McpError) => void) | undefined;
  #isDisposed = false;

  private constructor(texts: ReceiverTexts) {
    this.#texts = texts;
    const limits = {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
      keepAlive: false,
    };
    this.#server = createServer(limits, (request, response) => this.#respond(request, response));
    this.#server.on('connection', (socket) => this.#admit(socket));
    this.#server.on('clientError', (_error, socket) => socket.destroy());
    // Such as too many open files: one connection less, and the listener goes on.
    this.#server.on('error', () => undefined);
  }

  /**
   * Listens. Before anything is registered, so that the registration holds the very address.
   * @throws {McpError} internal where the system lets nobody listen | what `externalAddress` rejects with
   */
  static async open(options: LoopbackReceiverOptions): Promise<LoopbackReceiver> {
    const receiver = new LoopbackReceiver(options.texts);
    try {
      const port = await receiver.#listen(options.port);
      receiver.#port = port;
      const own = `http://${host}:${port}${path}`;
      receiver.#address = await options.externalAddress(own);
      // A tunnel hands on the name that the browser used, or one of this machine.
      const { host: external } = new URL(receiver.#address);
      receiver.#hosts = [`${host}:${port}`, `localhost:${port}`, external];
      return receiver;
    } catch (error) {
      receiver.dispose();
      throw error;
    }
  }

  get address(): string {
    return this.#address;
  }

  /** Of {@link address}, as it is here; what a registration is asked for again. */
  get port(): number {
    return this.#port;
  }

  /**
   * The whole address that the browser was sent to with this state; once, after which the listener
   * is gone. The answer may be an error.
   * @throws {McpError} timeout after ten minutes | cancelled by the token, or when it is disposed
   */
  answer(state: string, token?: CancellationToken): Promise<URL> {
    return new Promise<URL>((resolve, reject) => {
      const stop = (error: McpError) => {
        clearTimeout(timer);
        subscription?.dispose();
        this.#awaited = undefined;
        this.#end = undefined;
        reject(error);
      };
      const limit = new McpError('timeout', { limit: waitMs });
      const timer = setTimeout(() => stop(limit), waitMs);
      const subscription = token?.onCancellationRequested(() => stop(new McpError('cancelled')));
      this.#end = stop;
      this.#awaited = {
        state,
        resolve: (answer) => {
          resolve(answer);
          stop(new McpError('cancelled'));
        },
      };
      if (this.#isDisposed || token?.isCancellationRequested === true) {
        stop(new McpError('cancelled'));
      }
    }).finally(() => this.#close());
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#end?.(new McpError('cancelled'));
    this.#close();
    this.#cut();
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const answer = this.#answerIn(request);
    const awaited = this.#awaited;
    const isAnswer = answer !== undefined && awaited !== undefined;
    const { language, received, refused } = this.#texts;
    response.writeHead(isAnswer ? 200 : 400, pageHeaders);
    response.end(receiverPage(isAnswer ? received : refused, language));
    if (isAnswer) awaited.resolve(answer);
  }

  #answerIn({ method, url = '', headers }: IncomingMessage): URL | undefined {
    const awaited = this.#awaited;
    if (awaited === undefined || method !== 'GET' || url.length > maxRedirectChars)
      return undefined;
    if (headers.host === undefined || !this.#hosts.includes(headers.host)) return undefined;
    const [place, query = '', ...rest] = url.split('?');
    if (place !== path) return undefined;
    const whole = [query, ...rest].join('?');
    const read = readRedirectQuery(whole, { address: this.#address, state: awaited.state });
    return read.kind === 'answer' ? read.address : undefined;
  }

  /** The oldest makes room: a browser has asked long before that. */
  #admit(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const [oldest] = this.#sockets;
    if (this.#sockets.size > maxConnections) oldest?.destroy();
  }

  async #listen(port: number | undefined): Promise<number> {
    const wanted = await this.#tryPort(port ?? 0);
    const bound = typeof wanted === 'number' ? wanted : await this.#tryPort(0);
    if (typeof bound === 'number') return bound;
    throw new McpError('internal', { detail: bound.message, cause: bound });
  }

  /** The port, or what stands against it. */
  #tryPort(port: number): Promise<number | Error> {
    return new Promise((resolve) => {
      this.#server.once('error', resolve);
      this.#server.listen({ port, host, exclusive: true }, () => {
        this.#server.off('error', resolve);
        const bound = this.#server.address();
        resolve(typeof bound === 'object' && bound !== null ? bound.port : 0);
      });
    });
  }

  /** Takes no new connections; the page of the answer is still delivered. */
  #close(): void {
    if (!this.#server.listening) return;
    this.#server.close();
    // Node counts their time no more.
    setTimeout(() => this.#cut(), requestMs).unref();
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
