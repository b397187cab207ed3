import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
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
import { agentErrorLog, RefusedConnectionLog } from './agentLogs';
import { bridgeProtocol, serverPath, serverFromPath } from './agentProtocol';
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
  /** Folder in which windows publish their addresses for bridges. */
  readonly folder: string;
  /** Returns the real paths of the workspace folders. */
  readonly workspaceFolders: () => Promise<readonly string[]>;
  readonly version: string;
  readonly log: Pick<ConnectionLog, 'info' | 'warn'>;
  /** Called when an agent connects or disconnects. */
  readonly onDidChange?: () => void;
  readonly limits?: Partial<AgentEndpointLimits>;
}

export interface AgentEndpointLimits extends AgentTransportLimits {
  readonly budget: AgentBudgetLimits;
  /** Budget of all agents together. */
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
/** Time limit for all headers of a connection. */
const headersMs = 5_000;
/** Interval at which Node checks its time limits. Its default is 30 seconds. */
const checkMs = 1_000;
const minuteMs = 60_000;

/**
 * Accepts connections of agents outside the editor, on a socket that belongs to the user, with a
 * new token each time it opens. It listens on no network port. {@link AgentCalls} and the gate
 * handle the calls.
 */
export class AgentEndpoint {
  readonly #options: AgentEndpointOptions;
  readonly #limits: AgentEndpointLimits;
  readonly #token = randomBytes(tokenBytes).toString('base64url');
  readonly #http: HttpServer;
  readonly #sockets = new Set<Duplex>();
  readonly #connections = new Set<AgentConnection>();
  readonly #subscription: Disposable;
  readonly #refusals: RefusedConnectionLog;
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
    this.#refusals = new RefusedConnectionLog(options.log);
    this.#budget = new AgentBudget(this.#limits.allBudget);
    this.#http = createServer(
      {
        maxHeaderSize: maxHeaderBytes,
        headersTimeout: headersMs,
        requestTimeout: headersMs,
        connectionsCheckingInterval: checkMs,
      },
      (_, response) => {
        // There is no sign-in, so discovery requests get 404.
        response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
        response.end('Toolgate serves agents through its bridge only.\n');
      },
    );
    // Connections that are not authorized yet count as well.
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

  /** The number of connected agents. */
  get size(): number {
    return this.#connections.size;
  }

  /** Path of the socket, or name of the pipe. */
  get path(): string {
    return this.#socket?.path ?? '';
  }

  /** Publishes the address again for bridges, after the workspace folders changed. */
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
   * Ends every connection and removes the socket. Idempotent. If removing fails, that is logged,
   * and the next window that opens removes it. Never rejects.
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
    const { server } = serverFromPath(request.url ?? '') ?? {};
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
      path: serverPath(server),
      version,
      limits: this.#limits,
      budget: new AgentBudget(this.#limits.budget, this.#budget),
      lists: this.#lists,
      onError: agentErrorLog(log),
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

  /**
   * Returns why the request is refused, in one sentence. A request without the token learns nothing
   * more.
   */
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
    const target = serverFromPath(url);
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
  // Destroys the socket, because a client that keeps its own end open would keep occupying a
  // connection.
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Compares in constant time. */
export function isToken(header: string | undefined, token: string): boolean {
  return timingSafeEqual(hash(header ?? ''), hash(`Bearer ${token}`));
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The smallest limit of the systems that have sockets as files, without the terminating zero. */
const maxSocketBytes = 103;
const nameBytes = 16;

/** An address to which only the user can connect. */
interface AgentSocket {
  /** Path or pipe name to listen on. */
  readonly path: string;
  /** Removes the socket after the server was closed. */
  remove(): Promise<void>;
}

/**
 * Listens in a new folder that only the user can enter, on a socket to which only the user can
 * connect; on Windows on a pipe with an unguessable name. The extension's storage is not used,
 * because its path may be longer than a socket path can be.
 * @param folder parent of the new folder; defaults to the system's folder for temporary files
 * @throws {McpError} invalidConfiguration if the path is too long, with a sentence as its detail
 * @throws what the system throws
 */
export async function listenLocally(server: Server, folder = tmpdir()): Promise<AgentSocket> {
  const name = `toolgate-${randomBytes(nameBytes).toString('hex')}`;
  if (process.platform === 'win32') {
    const pipe = `\\\\.\\pipe\\${name}`;
    await once(server.listen(pipe), 'listening');
    return { path: pipe, remove: () => Promise.resolve() };
  }
  // mkdtemp creates the folder with mode 0700.
  const own = await mkdtemp(path.join(await realpath(folder), 'toolgate'));
  const remove = (): Promise<void> => rm(own, { recursive: true, force: true });
  const socket = path.join(own, 'gate.sock');
  try {
    const bytes = Buffer.byteLength(socket);
    if (bytes > maxSocketBytes) {
      const detail = `The path of the socket for agents has ${bytes} bytes, and ${maxSocketBytes} is the most that systems take: ${socket}. Set TMPDIR to a shorter folder.`;
      throw new McpError('invalidConfiguration', { detail, limit: maxSocketBytes });
    }
    await once(server.listen(socket), 'listening');
    await chmod(socket, 0o600);
  } catch (error) {
    await remove();
    throw error;
  }
  return { path: socket, remove };
}
