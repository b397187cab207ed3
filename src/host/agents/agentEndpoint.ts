import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  STATUS_CODES,
} from 'node:http';
import type { Server } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Disposable } from 'vscode-jsonrpc/node';
import type { ConnectionLog } from '../../core/log';
import type { AgentAccess } from './agentAccess';
import {
  AgentBudget,
  agentBudgetLimits,
  agentsBudgetLimits,
  type AgentBudgetLimits,
} from './agentLimits';
import { AgentCalls, type AgentCallOptions } from './agentCall';
import { AgentTasks } from './agentTasks';
import { logOfAgent, RefusalLog } from './agentLogs';
import { bridgeProtocol, pathOfServer, serverOfPath } from './agentProtocol';
import { serveAgent, type AgentConnection } from './agentServer';
import { agentTransportLimits, type AgentTransportLimits } from './agentTransport';
import { ToolListTexts } from './agentTools';
import { writeWindow, type WrittenWindow } from './agentWindows';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { McpError } from '../../core/errors';

export interface AgentEndpointOptions extends Omit<AgentCallOptions, 'access'> {
  readonly access: AgentAccess;
  /** Where windows write down where they are, for bridges. */
  readonly folder: string;
  /** Real paths of the folders of the workspace. */
  readonly workspaceFolders: () => Promise<readonly string[]>;
  readonly version: string;
  readonly log: Pick<ConnectionLog, 'info' | 'warn'>;
  /** More or fewer agents are connected. */
  readonly onDidChange?: () => void;
  readonly limits?: Partial<AgentEndpointLimits>;
}

export interface AgentEndpointLimits extends AgentTransportLimits {
  readonly budget: AgentBudgetLimits;
  /** Of all agents together. */
  readonly allBudget: AgentBudgetLimits;
  readonly maxConnections: number;
  readonly maxConnectionsPerMinute: number;
}

const defaultLimits: AgentEndpointLimits = {
  ...agentTransportLimits,
  budget: agentBudgetLimits,
  allBudget: agentsBudgetLimits,
  maxConnections: 32,
  maxConnectionsPerMinute: 120,
};

const tokenBytes = 32;
const maxHeaderBytes = 8 * 1024;
/** For all headers of a connection to arrive. */
const headersMs = 5_000;
/** The limits of time are looked at so often; by default it is half a minute. */
const checkMs = 1_000;
const minuteMs = 60_000;

/**
 * The one place where agents outside of the editor are let in: a socket of the user's, with a token
 * that is another one each time it opens. Nothing listens on a port. What goes on behind it is for
 * {@link AgentCalls} and the gate.
 */
export class AgentEndpoint {
  readonly #options: AgentEndpointOptions;
  readonly #limits: AgentEndpointLimits;
  readonly #token = randomBytes(tokenBytes).toString('base64url');
  readonly #http: HttpServer;
  readonly #sockets = new Set<Duplex>();
  readonly #connections = new Set<AgentConnection>();
  readonly #subscription: Disposable;
  readonly #refusals: RefusalLog;
  readonly #budget: AgentBudget;
  readonly #lists = new ToolListTexts();
  readonly #tasks = new AgentTasks();
  #opened: number[] = [];
  #socket: AgentSocket | undefined;
  #written: WrittenWindow | undefined;
  #isClosed = false;

  private constructor(options: AgentEndpointOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#refusals = new RefusalLog(options.log);
    this.#budget = new AgentBudget(this.#limits.allBudget);
    this.#http = createServer(
      {
        maxHeaderSize: maxHeaderBytes,
        headersTimeout: headersMs,
        requestTimeout: headersMs,
        connectionsCheckingInterval: checkMs,
      },
      (_, response) => {
        // No sign-in is offered to anybody: there is none.
        response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
        response.end('Toolgate serves agents through its bridge only.\n');
      },
    );
    // Those that are not let in yet count, too.
    this.#http.maxConnections = 2 * this.#limits.maxConnections;
    this.#http.on('connection', (socket) => this.#hold(socket));
    this.#http.on('upgrade', (request, socket, head) => this.#admit(request, socket, head));
    this.#subscription = options.access.onDidChange(() => {
      for (const connection of this.#connections) connection.announce();
    });
  }

  /** Opens an endpoint. @throws {McpError} what `listenLocally` throws @throws what the system throws */
  static async open(options: AgentEndpointOptions): Promise<AgentEndpoint> {
    const endpoint = new AgentEndpoint(options);
    try {
      endpoint.#socket = await listenLocally(endpoint.#http);
      endpoint.#http.on('error', ({ message }) => options.log.warn(`agents: ${message}`));
      await endpoint.rewrite();
    } catch (error) {
      await endpoint.close();
      throw error;
    }
    return endpoint;
  }

  /** How many agents are connected. */
  get size(): number {
    return this.#connections.size;
  }

  /** Path of the socket, or name of the pipe. */
  get path(): string {
    return this.#socket?.path ?? '';
  }

  /** Writes down for the bridges where this is, after the folders of the workspace changed. */
  async rewrite(): Promise<void> {
    const { folder, workspaceFolders } = this.#options;
    const folders = await workspaceFolders();
    const before = this.#written;
    this.#written = await writeWindow(folder, {
      protocol: bridgeProtocol,
      pid: process.pid,
      socket: this.path,
      token: this.#token,
      folders,
      startedAt: Date.now(),
    });
    await before?.withdraw();
    if (this.#isClosed) await this.#written.withdraw();
  }

  /**
   * Ends every connection and takes the socket away. Idempotent. What could not be taken away is
   * left to the next window that opens, and is in the log. Never rejects.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#tasks.dispose();
    this.#subscription.dispose();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    await Promise.allSettled([...this.#connections].map((connection) => connection.close()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#refusals.endMinute();
    const left = await Promise.allSettled([this.#written?.withdraw(), this.#socket?.remove()]);
    for (const each of left) {
      if (each.status === 'rejected') this.#options.log.warn(String(each.reason));
    }
  }

  #hold(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }

  #admit(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    const refused = this.#refusal(request);
    if (refused !== undefined) {
      this.#refusals.add(refused.sentence);
      refuse(socket, refused);
      return;
    }
    const { server } = serverOfPath(request.url ?? '') ?? {};
    socket.write(
      ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${bridgeProtocol}`]
        .map((line) => `${line}\r\n`)
        .join('') + '\r\n',
    );
    socket.unshift(head);
    const { version, log, onDidChange } = this.#options;
    const connection = serveAgent(socket, {
      calls: new AgentCalls(this.#options, server),
      tasks: this.#tasks,
      path: pathOfServer(server),
      version,
      limits: this.#limits,
      budget: new AgentBudget(this.#limits.budget, this.#budget),
      lists: this.#lists,
      onError: logOfAgent(log),
    });
    this.#connections.add(connection);
    log.info(`an agent has connected to ${request.url ?? ''}`);
    onDidChange?.();
    socket.once('close', () => {
      this.#connections.delete(connection);
      void connection.close();
      log.info('an agent has left');
      onDidChange?.();
    });
  }

  /** Why nobody is let in with this, in one sentence; nothing says more to who has no token. */
  #refusal({ url = '', headers }: IncomingMessage): Refusal | undefined {
    if (!isToken(headers.authorization, this.#token)) {
      return {
        status: 403,
        sentence: 'This is not the token of this window, or not that of today.',
      };
    }
    if (headers.upgrade !== bridgeProtocol) {
      return {
        status: 426,
        sentence: `This window of Toolgate speaks ${bridgeProtocol} with bridges; start the agent again, so that it takes the bridge of this version.`,
      };
    }
    const target = serverOfPath(url);
    if (target === undefined) return { status: 404, sentence: 'There is nothing at this path.' };
    if (target.server !== undefined && !this.#options.access.isExposed(target.server)) {
      return { status: 404, sentence: 'No server of this name is exposed to agents.' };
    }
    return this.#isFull() ? { status: 503, sentence: 'Too many agents are connected.' } : undefined;
  }

  #isFull(): boolean {
    const { maxConnections, maxConnectionsPerMinute } = this.#limits;
    const now = performance.now();
    this.#opened = this.#opened.filter((at) => now - at < minuteMs);
    if (
      this.#connections.size >= maxConnections ||
      this.#opened.length >= maxConnectionsPerMinute
    ) {
      return true;
    }
    this.#opened.push(now);
    return false;
  }
}

interface Refusal {
  readonly status: number;
  readonly sentence: string;
}

function refuse(socket: Duplex, { status, sentence }: Refusal): void {
  const body = `${sentence}\n`;
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  // Whoever keeps its own end open would keep a place, too.
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Takes as long for a wrong token as for the right one. */
function isToken(header: string | undefined, token: string): boolean {
  return timingSafeEqual(hash(header ?? ''), hash(`Bearer ${token}`));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Of the systems that have sockets as files, the one with the least room, without the last zero. */
const maxSocketBytes = 103;
const nameBytes = 16;

/** A place where nobody but the user can connect. */
interface AgentSocket {
  /** What to listen on. */
  readonly path: string;
  /** Takes it away again, after the server was closed. */
  remove(): Promise<void>;
}

/**
 * Listens in a folder of its own that only the user may enter, on a socket that only they may
 * connect to; on Windows on a pipe with a name that nobody can guess. Not in the storage of the
 * extension, whose path may be longer than that of a socket can be.
 * @param folder where to make it. Default: that of the system for temporary files
 * @throws {McpError} invalidConfiguration, its detail a sentence, when the path is too long
 * @throws what the system throws
 */
export async function listenLocally(server: Server, folder = tmpdir()): Promise<AgentSocket> {
  const name = `toolgate-${randomBytes(nameBytes).toString('hex')}`;
  if (process.platform === 'win32') {
    const pipe = `\\\\.\\pipe\\${name}`;
    await listen(server, pipe);
    return { path: pipe, remove: () => Promise.resolve() };
  }
  // Made with mode 0700.
  const own = await mkdtemp(path.join(await realpath(folder), 'toolgate'));
  const remove = (): Promise<void> => rm(own, { recursive: true, force: true });
  const socket = path.join(own, 'gate.sock');
  try {
    const bytes = Buffer.byteLength(socket);
    if (bytes > maxSocketBytes) {
      const detail = `The path of the socket for agents has ${bytes} bytes, and ${maxSocketBytes} is the most that systems take: ${socket}. Set TMPDIR to a shorter folder.`;
      throw new McpError('invalidConfiguration', { detail, limit: maxSocketBytes });
    }
    await listen(server, socket);
    await chmod(socket, 0o600);
  } catch (error) {
    await remove();
    throw error;
  }
  return { path: socket, remove };
}

function listen(server: Server, where: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
