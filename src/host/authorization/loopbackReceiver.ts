import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { RedirectReceiver } from '../../core/auth/ports';
import { McpError } from '../../core/errors';
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

/** What the browser shows at the end; of ours alone, in the person's language. */
interface ReceiverTexts {
  /** As in `lang` of HTML. */
  readonly language: string;
  /** After the answer: go back to the editor. */
  readonly received: string;
  /** For whatever is no answer. */
  readonly refused: string;
}

/** No script, no style, no frame, no form, nothing kept, and nothing told to where a link leads. */
const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // What floods shall not keep connections.
  Connection: 'close',
};

/** A page that says one thing. Nothing of a request ever stands in it. */
function receiverPage(text: string, language: string): string {
  return [
    '<!doctype html>',
    `<html lang="${escaped(language)}">`,
    '<head><meta charset="utf-8"><meta name="color-scheme" content="light dark">',
    '<meta name="viewport" content="width=device-width"><title>Toolgate</title></head>',
    `<body><main><h1>Toolgate</h1><p>${escaped(text)}</p></main></body></html>`,
    '',
  ].join('\n');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? '');
}
