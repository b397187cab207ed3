import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { RedirectReceiver } from '../../core/auth/ports';
import { McpError } from '../../core/errors';

export interface LoopbackReceiverOptions {
  /** The port of a stored registration. If it is taken or undefined, any free port is used. */
  readonly port?: number;
  /**
   * Maps the local address to the one that the browser can reach: `vscode.env.asExternalUri`, which
   * opens a tunnel in a remote window.
   */
  readonly externalAddress: (address: string) => Promise<string>;
  readonly texts: ReceiverTexts;
}

const host = '127.0.0.1';
const path = '/callback';
/** Browsers send along the cookies of every server on this machine. */
const maxHeaderBytes = 16 * 1024;
/** A browser needs a few and sends its request at once. */
const maxConnections = 16;
const requestMs = 5_000;
const checkMs = 1_000;
/** After this time the user has to start again. */
const waitMs = 10 * 60 * 1_000;

/**
 * Listens on this machine for the single answer of one sign-in. Every other request gets status 400
 * and changes nothing. An idle connection is closed in favor of a new one.
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
    // After an error such as too many open files, one connection is lost and the listener
    // continues.
    this.#server.on('error', () => undefined);
  }

  /**
   * Starts to listen. This happens before a client is registered, so that the registration contains
   * the exact address.
   * @throws {McpError} internal if the system allows no listener | what `externalAddress` rejects
   * with
   */
  static async open(options: LoopbackReceiverOptions): Promise<LoopbackReceiver> {
    const receiver = new LoopbackReceiver(options.texts);
    try {
      const port = await receiver.#listen(options.port);
      receiver.#port = port;
      const own = `http://${host}:${port}${path}`;
      receiver.#address = await options.externalAddress(own);
      // A tunnel forwards the host name that the browser used, or one of this machine.
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

  /** The local port of {@link address}, for reusing the registration later. */
  get port(): number {
    return this.#port;
  }

  /**
   * Resolves with the full address to which the browser was redirected with this state. Can be
   * called once; the listener closes afterwards. The answer may be an error.
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

  /** Closes the oldest connection, because a browser would have sent its request long before. */
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

  /** Returns the port, or the error. */
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

  /** Accepts no new connections. The page of the answer is still delivered. */
  #close(): void {
    if (!this.#server.listening) return;
    this.#server.close();
    // Node no longer enforces its time limits after close().
    setTimeout(() => this.#cut(), requestMs).unref();
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Texts of the page that the browser shows at the end, in the display language. */
interface ReceiverTexts {
  /** Value of the HTML attribute `lang`. */
  readonly language: string;
  /** Shown after the answer: return to the editor. */
  readonly received: string;
  /** Shown for every other request. */
  readonly refused: string;
}

/** The page allows no scripts, styles, frames or forms, is not cached and sends no referrer. */
const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // Requests that flood the listener must not keep connections open.
  Connection: 'close',
};

/** Returns a page with one sentence. It never contains any part of a request. */
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

/** Why a text is not the answer of a sign-in. Nothing of the text is repeated anywhere. */
export type NoRedirectAnswer =
  | 'tooLong'
  /** The pasted text is neither an address nor a query string. */
  | 'notAnAddress'
  /** The pasted address differs from the redirect address. */
  | 'otherAddress'
  /** There is no `state`, so the code could come from another sender. */
  | 'noState'
  /** The state belongs to another attempt, or was made up. */
  | 'otherState'
  /** A parameter occurs twice, so its value is ambiguous. */
  | 'duplicate'
  /** There is neither a code nor an error. */
  | 'noOutcome';

export type RedirectAnswer =
  | { readonly kind: 'answer'; readonly address: URL }
  | { readonly kind: 'none'; readonly reason: NoRedirectAnswer };

/** The redirect that a sign-in waits for. */
export interface AwaitedRedirect {
  /** `redirect_uri`, exactly as sent. */
  readonly address: string;
  readonly state: string;
}

/** Length of an address with its query, in UTF-16 units. */
const maxRedirectChars = 8 * 1024;

/** Parameters that may occur only once (RFC 6749 3.1). */
const parameters = ['state', 'code', 'error', 'error_description', 'error_uri', 'iss'];

/**
 * Checks that a query string, without its `?`, answers the sign-in: the right state, one outcome,
 * no duplicates. The returned address has the query unchanged.
 */
function readRedirectQuery(query: string, awaited: AwaitedRedirect): RedirectAnswer {
  if (query.length > maxRedirectChars) return none('tooLong');
  const values = new URLSearchParams(query);
  const states = values.getAll('state');
  if (states.length === 0) return none('noState');
  if (parameters.some((name) => values.getAll(name).length > 1)) return none('duplicate');
  if (awaited.state === '' || states[0] !== awaited.state) return none('otherState');
  if (!values.has('code') && !values.has('error')) return none('noOutcome');
  const address = new URL(awaited.address);
  address.search = query;
  return { kind: 'answer', address };
}

/**
 * Reads what the user copied from the address bar of a page that could not be loaded: the full
 * address, or its query with or without the `?`.
 */
export function readPastedRedirect(text: string, awaited: AwaitedRedirect): RedirectAnswer {
  const pasted = text.trim();
  if (pasted.length > maxRedirectChars) return none('tooLong');
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(pasted)) {
    const query = pasted.replace(/^\?/, '').replace(/#.*$/s, '');
    // Without a name and a value it is a code alone, or any other text.
    if (/\s/.test(query) || !query.includes('=')) return none('notAnAddress');
    return readRedirectQuery(query, awaited);
  }
  if (/\s/.test(pasted) || !URL.canParse(pasted)) return none('notAnAddress');
  const came = new URL(pasted);
  const wanted = new URL(awaited.address);
  const isSame =
    came.origin === wanted.origin &&
    came.pathname === wanted.pathname &&
    came.username === '' &&
    came.password === '';
  if (!isSame) return none('otherAddress');
  return readRedirectQuery(came.search.replace(/^\?/, ''), awaited);
}

function none(reason: NoRedirectAnswer): RedirectAnswer {
  return { kind: 'none', reason };
}

/** Only a web page is opened in a browser, whatever the metadata of a server says. */
export function isWebPage(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === ''
  );
}
