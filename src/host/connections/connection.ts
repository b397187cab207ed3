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
import type { StartSlots } from './startSlots';
import { type AssessRisk, ToolListing, type ToolListingOptions } from './connectionTools';
import type { ServerConfig } from '../configuration/serverConfig';
import type { ServerState, ToolEntry } from './snapshot';

/** What a connection wants to hear while it is made and after. */
export interface ConnectHooks {
  /** A line on stdout that was no message. */
  readonly onGarbage: () => void;
  /** What its process does beside its messages, while it runs and when it ends. */
  readonly onNotice: (notice: ProcessNotice) => void;
  /** What is reached on the way. */
  readonly onStage: (stage: ConnectStage) => void;
  /** How to reach it, the values of inputs filled in: may hold secrets. */
  readonly transport: ServerConfig['transport'];
}

/**
 * Starts the server and shakes hands. Cancelling leaves no process behind.
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
  /** Default: what the server says of its tools. */
  readonly assess?: AssessRisk;
  /** What the person chose for its tools. Default: nothing. */
  readonly choices?: ToolListingOptions['choices'];
  /** Default: errors are shown as they come. */
  readonly redact?: Redact;
  /**
   * Settles when the run may begin: the one before has left nothing behind, the person agreed and
   * said what the inputs stand for. A rejection ends it.
   */
  readonly after: Promise<ServerConfig['transport']>;
}

/** Floods of garbage are counted, and told this often. */
const garbageNoticeMs = 250;

/** Errors of a request after which there is no connection. */
const endsConnection = ['connectionClosed', 'messageTooLarge', 'serverFlood'] as const;

/** The same lists for every server that does not run, so that nothing looks changed. */
export const noTools: readonly ToolEntry[] = [];
export const noListProblems: readonly ListProblem[] = [];
export const noNotices: readonly ProcessNotice[] = [];

/**
 * One run of one server, from starting to its end; it never starts twice. It ends once, by `stop`
 * or by a failure, and whatever its process says after that is ignored.
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
  /** Something that this object shows is different from before. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: ConnectionOptions) {
    this.config = options.config;
    this.#options = options;
    this.#run = this.#start();
    this.#run.catch(() => {}); // Callers of join() get it; otherwise `state` has the reason.
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

  /** Of each kind the latest. */
  get notices(): readonly ProcessNotice[] {
    return this.#notices;
  }

  get garbageLines(): number {
    return this.#garbageLines;
  }

  /** Only while running. */
  get client(): McpClient | undefined {
    return this.#state.kind === 'running' ? this.#client : undefined;
  }

  get isAlive(): boolean {
    return this.#gone === undefined;
  }

  /**
   * Resolves when the server runs and its tools are listed. Cancelling rejects at once, and stops
   * the start when nobody else waits for it.
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

  /** Resolves once the changes of its tools that the server has announced are listed. */
  async listAnnouncedTools(): Promise<void> {
    await this.#listing?.listAnnounced();
  }

  /** Takes over what the risk of each tool is now, and what was chosen for it. */
  reassess(): void {
    this.#listing?.reassess();
  }

  /**
   * Ends the run, also while starting. The state says `stopped` at once; the promise resolves when
   * nothing of the run is left. Idempotent, never rejects.
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
    const state = this.isAlive ? startingState(this.#state, stage) : undefined;
    if (state !== undefined) this.#show(state);
  }

  #show(state: ServerState): void {
    this.#state = state;
    this.#onDidChange.fire();
  }

  /** Takes the client over, or closes it when nobody wants it any more. */
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
      // A server that shook hands and cannot list runs without tools, and says why. One whose
      // connection is gone has failed; closing lets it say why first.
      if (!endsConnection.some((code) => isMcpError(error, code))) return;
      await this.#close(client);
      throw error;
    }
  }

  #throwIfEnded(): void {
    if (this.#state.kind === 'failed') throw this.#state.error;
    if (!this.isAlive) throw new McpError('cancelled');
  }

  /** Rows, messages and the API tell of it, so no secret may be in it. */
  #fail(error: McpError): Promise<void> {
    const { redact = (text) => text } = this.#options;
    return this.#end({ kind: 'failed', error: redactedError(error, redact) });
  }

  #end(state: ServerState): Promise<void> {
    if (this.#gone !== undefined) return this.#gone;
    const client = this.#client;
    this.#state = state;
    // Set before anybody is told, and left a turn later: whoever is told may come back here.
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

  /** Also after the end: how a process left is known only then. */
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

/** What a start shows that has come so far; `undefined` where that is what it showed `before`. */
function startingState(before: ServerState, stage: ConnectStage): ServerState | undefined {
  if (stage.kind !== 'installing' || before.kind !== 'starting') return undefined;
  return { kind: 'starting', ...(stage.isInstalling ? { isInstalling: true } : {}) };
}

/** What a run shows that has shaken hands, from now on. */
function runningState(client: McpClient): ServerState {
  return {
    kind: 'running',
    revision: client.revision,
    serverInfo: client.serverInfo,
    ...(client.pid === undefined ? {} : { pid: client.pid }),
    startedAt: Date.now(),
  };
}
