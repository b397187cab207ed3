import {
  CancellationTokenSource,
  Emitter,
  type CancellationToken,
  type Disposable,
} from 'vscode-jsonrpc/node';
import type { McpClient } from '../../core/client';
import type { ConnectStage } from '../../core/connect';
import { McpError, isMcpError, toMcpError } from '../../core/errors';
import type { ConnectionLog } from '../../core/log';
import { riskOfTool } from '../../core/risk';
import type { ListProblem } from '../../core/types';
import type { ProcessNotice } from '../../core/stdio/stdioProcess';
import { raceCancellation } from '../../core/rpc/cancellation';
import { type Redact, redactedError } from '../secrets/redactSecrets';
import type { StartSlots } from './concurrencyLimiter';
import {
  type AssessRisk,
  ToolListing,
  type ToolListingOptions,
  type ServerState,
  type ToolEntry,
} from './snapshot';
import type { ServerConfig } from '../configuration/serverConfig';

/** Callbacks of a connection while it is made and afterwards. */
export interface ConnectHooks {
  /** Called for a line on stdout that was no message. */
  readonly onGarbage: () => void;
  /** Called for events of its process, while it runs and when it ends. */
  readonly onNotice: (notice: ProcessNotice) => void;
  /** Called for each stage of connecting. */
  readonly onStage: (stage: ConnectStage) => void;
  /** The transport with the values of inputs. May contain secrets. */
  readonly transport: ServerConfig['transport'];
}

/**
 * Starts the server and completes the handshake. Cancelling leaves no process behind.
 * @throws {McpError} any code of starting | cancelled
 */
export type Connect = (
  config: ServerConfig,
  hooks: ConnectHooks,
  token: CancellationToken,
) => Promise<McpClient>;

export interface ConnectionOptions {
  readonly config: ServerConfig;
  readonly connect: Connect;
  readonly slots: StartSlots;
  readonly log: ConnectionLog;
  /** Defaults to the server's own annotations. */
  readonly assess?: AssessRisk;
  /** The user's choices for its tools. Defaults to none. */
  readonly choices?: ToolListingOptions['choices'];
  /** Defaults to showing errors unchanged. */
  readonly redact?: Redact;
  /**
   * Resolves when the run may begin: the previous run has ended, and the user agreed and entered
   * the inputs. A rejection ends the run.
   */
  readonly after: Promise<ServerConfig['transport']>;
}

/** Lines of garbage are counted, and announced at this interval. */
const garbageNoticeMs = 250;

/** Request errors after which the connection is unusable. */
const endsConnection = ['connectionClosed', 'messageTooLarge', 'serverFlood'] as const;

/** Shared by all servers that do not run, so that nothing looks changed. */
export const noTools: readonly ToolEntry[] = [];
export const noListProblems: readonly ListProblem[] = [];
export const noNotices: readonly ProcessNotice[] = [];

/**
 * One run of one server, from its start to its end; it never starts twice. It ends once, by `stop`
 * or by a failure. Everything that its process sends afterwards is ignored.
 */
export class Connection {
  readonly config: ServerConfig;
  readonly #options: ConnectionOptions;
  readonly #cancellation = new CancellationTokenSource();
  readonly #subscriptions: Disposable[] = [];
  readonly #run: Promise<void>;
  #state: ServerState = { kind: 'starting', isHeld: true };
  #client: McpClient | undefined;
  #listing: ToolListing | undefined;
  #gone: Promise<void> | undefined;
  #waiting = 0;
  #garbageLines = 0;
  #notices = noNotices;
  #garbageTimer: NodeJS.Timeout | undefined;

  readonly #onDidChange = new Emitter<void>();
  /** Fires when a property of this object changed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: ConnectionOptions) {
    this.config = options.config;
    this.#options = options;
    this.#run = this.#start();
    this.#run.catch(() => {}); // Callers of join() get the rejection; otherwise `state` has the reason.
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Empty unless running. */
  get tools(): readonly ToolEntry[] {
    return this.#state.kind === 'running' ? (this.#listing?.tools ?? noTools) : noTools;
  }

  get listProblems(): readonly ListProblem[] {
    return this.#state.kind === 'running'
      ? (this.#listing?.problems ?? noListProblems)
      : noListProblems;
  }

  /** The latest notice of each kind. */
  get notices(): readonly ProcessNotice[] {
    return this.#notices;
  }

  get garbageLines(): number {
    return this.#garbageLines;
  }

  /** Undefined unless running. */
  get client(): McpClient | undefined {
    return this.#state.kind === 'running' ? this.#client : undefined;
  }

  get isAlive(): boolean {
    return this.#gone === undefined;
  }

  /**
   * Resolves when the server runs and its tools are listed. Cancelling rejects at once, and stops
   * the start if no other caller waits for it.
   * @throws {McpError} any code of starting | cancelled
   */
  async join(token?: CancellationToken): Promise<void> {
    this.#waiting++;
    try {
      await raceCancellation(this.#run, token);
    } catch (error) {
      if (this.#waiting === 1 && this.#state.kind === 'starting') void this.stop();
      throw error;
    } finally {
      this.#waiting--;
    }
  }

  /** Lists the tools again. @throws {McpError} notRunning | any code of a request */
  async refreshTools(): Promise<void> {
    const listing = this.#state.kind === 'running' ? this.#listing : undefined;
    if (listing === undefined) throw new McpError('notRunning');
    await listing.refresh();
  }

  /** Resolves once all announced changes of its tools are listed. */
  async listAnnouncedTools(): Promise<void> {
    await this.#listing?.listAnnounced();
  }

  /** Recomputes the risk and the choices of each tool. */
  reassess(): void {
    this.#listing?.reassess();
  }

  /**
   * Ends the run, also while starting. The state becomes `stopped` at once; the promise resolves
   * when nothing of the run is left. Idempotent. Never rejects.
   */
  stop(): Promise<void> {
    return this.#end({ kind: 'stopped' });
  }

  async #start(): Promise<void> {
    const { config, connect, slots, after } = this.#options;
    let giveBack: (() => void) | undefined;
    try {
      const transport = await after;
      if (this.isAlive) this.#show({ kind: 'starting' });
      giveBack = await slots.take(this.#cancellation.token);
      const hooks: ConnectHooks = {
        onGarbage: () => this.#countGarbage(),
        onNotice: (notice) => this.#notice(notice),
        onStage: (stage) => this.#reached(stage),
        transport,
      };
      const client = await connect(config, hooks, this.#cancellation.token);
      await this.#adopt(client);
      this.#throwIfEnded();
      this.#show(runningState(client));
    } catch (thrown) {
      void this.#fail(toMcpError(thrown));
      this.#throwIfEnded();
    } finally {
      giveBack?.();
    }
  }

  #reached(stage: ConnectStage): void {
    const { redact = (text) => text } = this.#options;
    const state = this.isAlive ? startingState(this.#state, stage, redact) : undefined;
    if (state !== undefined) this.#show(state);
  }

  #show(state: ServerState): void {
    this.#state = state;
    this.#onDidChange.fire();
  }

  /** Takes the client over, or closes it if no caller needs it now. */
  async #adopt(client: McpClient): Promise<void> {
    if (!this.isAlive) {
      await this.#close(client);
      this.#throwIfEnded();
    }
    this.#client = client;
    const { log, assess = riskOfTool, choices } = this.#options;
    const listing = new ToolListing({
      serverId: this.config.id,
      client,
      log,
      assess,
      choices,
      onDidChange: () => {
        if (this.#state.kind === 'running') this.#onDidChange.fire();
      },
    });
    this.#listing = listing;
    this.#subscriptions.push(
      listing,
      client.onDidChangeTools(() => listing.announceChange()),
      client.onDidClose((error) => void this.#fail(error ?? new McpError('connectionClosed'))),
    );
    try {
      await listing.refresh();
    } catch (error) {
      // A server that cannot list its tools runs without tools, and the problem is shown. A server
      // without a connection has failed; closing it lets it report the cause first.
      if (!endsConnection.some((code) => isMcpError(error, code))) return;
      await this.#close(client);
      throw error;
    }
  }

  #throwIfEnded(): void {
    if (this.#state.kind === 'failed') throw this.#state.error;
    if (!this.isAlive) throw new McpError('cancelled');
  }

  /** Rows, messages and the API show the error, so it must not contain secrets. */
  #fail(error: McpError): Promise<void> {
    const { redact = (text) => text } = this.#options;
    return this.#end({ kind: 'failed', error: redactedError(error, redact) });
  }

  #end(state: ServerState): Promise<void> {
    if (this.#gone !== undefined) return this.#gone;
    const client = this.#client;
    this.#state = state;
    // Set before listeners are called, and executed a turn later, because listeners may call back.
    this.#gone = Promise.resolve().then(() => this.#leave(client));
    this.#cancellation.cancel();
    for (const subscription of this.#subscriptions.splice(0)) subscription.dispose();
    clearTimeout(this.#garbageTimer);
    this.#onDidChange.fire();
    return this.#gone;
  }

  async #leave(client: McpClient | undefined): Promise<void> {
    if (client !== undefined) await this.#close(client);
    // The start may still hold a process that it has not handed over.
    await this.#run.catch(() => {});
  }

  async #close(client: McpClient): Promise<void> {
    try {
      await client.close();
    } catch (error) {
      this.#options.log.error(`close failed: ${toMcpError(error).message}`);
    }
  }

  /** Also called after the end, because only then is it known how the process ended. */
  #notice(notice: ProcessNotice): void {
    this.#notices = [...this.#notices.filter(({ kind }) => kind !== notice.kind), notice];
    this.#onDidChange.fire();
  }

  #countGarbage(): void {
    if (!this.isAlive) return;
    this.#garbageLines++;
    this.#garbageTimer ??= setTimeout(() => {
      this.#garbageTimer = undefined;
      this.#onDidChange.fire();
    }, garbageNoticeMs);
  }
}

/** Returns the state of a start after this stage; `undefined` if it is the same as `before`. */
function startingState(
  before: ServerState,
  stage: ConnectStage,
  redact: Redact,
): ServerState | undefined {
  if (before.kind !== 'starting') return undefined;
  if (stage.kind === 'printed') return { kind: 'starting', printed: redact(stage.text) };
  if (stage.kind !== 'installing') return undefined;
  return { kind: 'starting', ...(stage.isInstalling ? { isInstalling: true } : {}) };
}

/** Returns the state after the handshake. */
function runningState(client: McpClient): ServerState {
  return {
    kind: 'running',
    revision: client.revision,
    serverInfo: client.serverInfo,
    ...(client.pid === undefined ? {} : { pid: client.pid }),
    startedAt: Date.now(),
  };
}
