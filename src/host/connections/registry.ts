import { Emitter, type CancellationToken, type Disposable } from 'vscode-jsonrpc/node';
import type { McpClient } from '../../core/client';
import { McpError } from '../../core/errors';
import type { ConnectionLog } from '../../core/log';
import { configHash } from '../configuration/configurationHash';
import { Connection, noListProblems, noTools, type Connect } from './connection';
import { StartSlots } from './connectionSlots';
import { isSameJson } from './sameJson';
import type { ConfigProblem, ServerConfig } from '../configuration/serverConfig';
import type { RegistryChange, Server } from './snapshot';

export interface RegistryOptions {
  readonly connect: Connect;
  /** Nothing starts while this says no. */
  readonly isTrusted: () => boolean;
  readonly logOf: (serverId: string) => ConnectionLog;
}

/** Longer than any stop ladder takes; only a process that cannot be killed lasts so long. */
const stopLimitMs = 15_000;

/** One configured server: its latest run, if it had any, and the picture of it all. */
interface Entry {
  readonly hash: string;
  connection: Connection | undefined;
  snapshot: Server;
}

/**
 * All configured servers and their connections: the one place that knows what runs. Snapshots are
 * immutable, and the same object as long as nothing changed; `onDidChange` announces a change
 * already made.
 */
export class ServerRegistry implements Disposable {
  readonly #options: RegistryOptions;
  readonly #slots = new StartSlots();
  readonly #entries = new Map<string, Entry>();
  /** Runs that are ending, by server: the next run of that server waits for them. */
  readonly #endings = new Map<string, Promise<void>>();
  #servers: readonly Server[] = [];
  #problems: readonly ConfigProblem[] = [];
  #isDisposed = false;

  readonly #onDidChange = new Emitter<RegistryChange>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** In configuration order. */
  get servers(): readonly Server[] {
    return this.#servers;
  }

  /** Problems that belong to no server (a file that is not JSON, say). */
  get problems(): readonly ConfigProblem[] {
    return this.#problems;
  }

  find(id: string): Server | undefined {
    return this.#entries.get(id)?.snapshot;
  }

  /**
   * Takes a new configuration. A server whose entry says the same keeps running; one whose entry
   * changed or went away is stopped. Of equal ids the first counts.
   */
  setConfiguration(configs: readonly ServerConfig[], problems: readonly ConfigProblem[]): void {
    const before = new Map(this.#entries);
    const serversBefore = this.#servers;
    const problemsBefore = this.#problems;
    this.#entries.clear();
    for (const config of configs) {
      if (this.#entries.has(config.id)) continue;
      const own = problems.filter((problem) => problem.server === config.id);
      this.#entries.set(config.id, reconcile(before.get(config.id), config, own));
    }
    const rest = problems.filter(({ server }) => server === undefined || !this.find(server));
    if (!isSameJson(rest, this.#problems)) this.#problems = rest;
    this.#collect();
    for (const [id, entry] of before) {
      if (this.#entries.get(id)?.connection !== entry.connection) this.#endRun(id, entry);
    }
    if (this.#servers !== serversBefore || this.#problems !== problemsBefore) {
      this.#onDidChange.fire({ kind: 'servers' });
    }
  }

  /**
   * Starts the server and lists its tools; joins a start under way. Cancelling rejects at once, and
   * stops the start when nobody else waits for it.
   * @throws {McpError} unknownServer | untrustedWorkspace | cancelled | any code of starting
   */
  async start(id: string, token?: CancellationToken): Promise<Server> {
    const entry = this.#entry(id);
    if (!this.#options.isTrusted()) throw new McpError('untrustedWorkspace');
    throwIfUnusable(entry.snapshot.configProblems);
    if (this.#isDisposed || token?.isCancellationRequested === true) {
      throw new McpError('cancelled');
    }
    const connection = entry.connection?.isAlive ? entry.connection : this.#run(id, entry);
    await connection.join(token);
    return entry.snapshot;
  }

  /** The state is `stopped` at once; resolves when its process is gone. Idempotent. */
  async stop(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#endRun(id, entry);
    await this.#endings.get(id);
  }

  async restart(id: string, token?: CancellationToken): Promise<Server> {
    await this.stop(id);
    return this.start(id, token);
  }

  /** Lists the tools again; joins a listing under way. @throws {McpError} notRunning | … */
  async refreshTools(id: string): Promise<void> {
    const { connection } = this.#entry(id);
    if (connection === undefined) throw new McpError('notRunning');
    await connection.refreshTools();
  }

  /** The live client. @throws {McpError} unknownServer | notRunning */
  client(id: string): McpClient {
    const client = this.#entry(id).connection?.client;
    if (client === undefined) throw new McpError('notRunning');
    return client;
  }

  /** Stops everything at the same time; resolves when all is gone, after 15 s in any case. */
  async stopAll(): Promise<void> {
    for (const [id, entry] of this.#entries) this.#endRun(id, entry);
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, stopLimitMs);
    });
    await Promise.race([Promise.all(this.#endings.values()), limit]);
    clearTimeout(timer);
  }

  /** Lets everything go without waiting; `stopAll` waits. */
  dispose(): void {
    this.#isDisposed = true;
    this.#onDidChange.dispose();
    for (const [id, entry] of this.#entries) this.#endRun(id, entry);
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new McpError('unknownServer', { detail: id });
    return entry;
  }

  #run(id: string, entry: Entry): Connection {
    if (entry.connection !== undefined) this.#endRun(id, entry);
    const connection = new Connection({
      config: entry.snapshot.config,
      connect: this.#options.connect,
      slots: this.#slots,
      log: this.#options.logOf(id),
      after: this.#endings.get(id) ?? Promise.resolve(),
    });
    entry.connection = connection;
    connection.onDidChange(() => this.#update(id, connection));
    this.#update(id, connection);
    return connection;
  }

  /** Takes over what a run says, unless it is not the server's run any more. */
  #update(id: string, connection: Connection): void {
    const entry = this.#entries.get(id);
    if (entry?.connection !== connection) return;
    const before = entry.snapshot;
    const { state, tools, listProblems, garbageLines } = connection;
    const now = { ...before, state, tools, listProblems, garbageLines };
    const hasNewTools = tools !== before.tools || listProblems !== before.listProblems;
    const hasNewState = state !== before.state || garbageLines !== before.garbageLines;
    if (!hasNewTools && !hasNewState) return;
    entry.snapshot = now;
    this.#collect();
    if (hasNewState) this.#onDidChange.fire({ kind: 'state', id });
    if (hasNewTools) this.#onDidChange.fire({ kind: 'tools', id });
  }

  /** Stops the run and remembers its end. A failed one stays failed, but may still be leaving. */
  #endRun(id: string, { connection }: Entry): void {
    if (connection === undefined) return;
    const before = this.#endings.get(id);
    const ending = Promise.all([before, connection.stop()]).then(() => {
      if (this.#endings.get(id) === ending) this.#endings.delete(id);
    });
    this.#endings.set(id, ending);
  }

  #collect(): void {
    const servers = [...this.#entries.values()].map((entry) => entry.snapshot);
    const isSame =
      servers.length === this.#servers.length &&
      servers.every((server, index) => server === this.#servers[index]);
    if (!isSame) this.#servers = servers;
  }
}

/** The entry for `config`: with the run of `before` if that would be started the same way. */
function reconcile(
  before: Entry | undefined,
  config: ServerConfig,
  configProblems: readonly ConfigProblem[],
): Entry {
  const hash = configHash(config);
  if (before === undefined || before.hash !== hash) {
    return { hash, connection: undefined, snapshot: stopped(config, configProblems) };
  }
  const { snapshot } = before;
  const isSame =
    isSameJson(config, snapshot.config) && isSameJson(configProblems, snapshot.configProblems);
  if (!isSame) before.snapshot = { ...snapshot, config, configProblems };
  return before;
}

function stopped(config: ServerConfig, configProblems: readonly ConfigProblem[]): Server {
  return {
    config,
    state: { kind: 'stopped' },
    tools: noTools,
    listProblems: noListProblems,
    configProblems,
    garbageLines: 0,
  };
}

/** @throws {McpError} missingVariable | invalidConfiguration */
function throwIfUnusable(problems: readonly ConfigProblem[]): void {
  const fatal = problems.find((problem) => problem.fatal);
  if (fatal === undefined) return;
  const isVariable = fatal.code === 'missingVariable' || fatal.code === 'unsupportedVariable';
  const code = isVariable ? 'missingVariable' : 'invalidConfiguration';
  throw new McpError(code, { detail: fatal.detail ?? fatal.path.join('.') });
}
