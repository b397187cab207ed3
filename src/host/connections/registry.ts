import {
  CancellationTokenSource,
  Emitter,
  type CancellationToken,
  type Disposable,
} from 'vscode-jsonrpc/node';
import type { McpClient } from '../../core/client';
import { McpError } from '../../core/errors';
import { settlesWithin } from '../../core/bounds/valueWithin';
import { raceCancellation } from '../../core/rpc/cancellation';
import { riskOfTool, type Risk } from '../../core/risk';
import { fillInputs, noInputs, type InputValues } from '../configuration/inputs';
import { RunSecrets, type RegisterServerSecrets } from '../secrets/configuredSecrets';
import { CrashRestarts, neverRestart, type CrashRestartPolicy } from '../processes/crashRestarts';
import { Connection, type Connect } from './connection';
import { StartSlots } from './concurrencyLimiter';
import {
  type Entry,
  toSnapshots,
  reconcile,
  type ServerMarks,
  shownState,
  withMarks,
} from './registryEntry';
import { toolChoicesFor, type TaskChoices } from '../configuration/toolChoices';
import { isSameJson } from '../../core/json/shapes';
import {
  type ConfigProblem,
  type ServerConfig,
  throwIfUnusable,
} from '../configuration/serverConfig';
import type { RegistryChange, Server } from './snapshot';
import type { ConnectionLog } from '../../core/log';
import type { Tool } from '../../core/types';
import type { Redact } from '../secrets/redactSecrets';

/** Longer than any regular stop. Only a process that cannot be killed takes this long. */
const stopLimitMs = 15_000;

/**
 * All configured servers and their connections. Only the registry knows what runs. Snapshots are
 * immutable, and stay the same object while nothing changes. `onDidChange` announces changes that
 * have happened already.
 */
export class ServerRegistry implements Disposable {
  readonly #options: RegistryOptions;
  readonly #slots = new StartSlots();
  readonly #restarts: CrashRestarts;
  readonly #entries = new Map<string, Entry>();
  /** Runs that are ending, by server. The next run of the server waits for them. */
  readonly #endings = new Map<string, Promise<void>>();
  #servers: readonly Server[] = [];
  #problems: readonly ConfigProblem[] = [];
  #isDisposed = false;

  readonly #onDidChange = new Emitter<RegistryChange>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: RegistryOptions) {
    this.#options = options;
    const { restarts = neverRestart } = options;
    this.#restarts = new CrashRestarts({
      ...restarts,
      restart: (id) => this.#start(id),
      onDidChange: (id) => this.#update(id, this.#entries.get(id)?.connection),
      log: (id, text) => options.logOf(id).info(text),
    });
  }

  /** In configuration order. */
  get servers(): readonly Server[] {
    return this.#servers;
  }

  /** Problems that belong to no server, such as a file that is not JSON. */
  get problems(): readonly ConfigProblem[] {
    return this.#problems;
  }

  find(id: string): Server | undefined {
    return this.#entries.get(id)?.snapshot;
  }

  /**
   * Applies a new configuration. A server with an unchanged entry keeps running; one with a changed
   * or removed entry is stopped. Of equal ids the first counts.
   */
  setConfiguration(configs: readonly ServerConfig[], problems: readonly ConfigProblem[]): void {
    const before = new Map(this.#entries);
    const serversBefore = this.#servers;
    const problemsBefore = this.#problems;
    this.#entries.clear();
    const problemsOf = byServer(problems);
    for (const config of configs) {
      if (this.#entries.has(config.id)) continue;
      const own = problemsOf.get(config.id) ?? [];
      this.#entries.set(config.id, reconcile(before.get(config.id), config, own, this.#options));
    }
    const rest = problems.filter(({ server }) => server === undefined || !this.find(server));
    if (!isSameJson(rest, this.#problems)) this.#problems = rest;
    this.#collect();
    for (const [id, entry] of before) {
      if (this.#entries.get(id) !== entry) this.#restarts.forget(id);
      if (this.#entries.get(id)?.connection !== entry.connection) this.#endRun(id, entry);
    }
    if (this.#servers !== serversBefore || this.#problems !== problemsBefore) {
      this.#onDidChange.fire({ kind: 'servers' });
    }
  }

  /**
   * Starts the server and lists its tools, or joins a start in progress. Cancelling rejects at
   * once, and stops the start if no other caller waits for it.
   * @throws {McpError} unknownServer | serverDisabled | … | any code of starting | cancelled
   */
  start(id: string, token?: CancellationToken): Promise<Server> {
    if (this.#entries.get(id)?.snapshot.state.kind !== 'running') this.#restarts.forget(id);
    return this.#start(id, token);
  }

  async #start(id: string, token?: CancellationToken): Promise<Server> {
    const entry = this.#entry(id);
    if (entry.snapshot.isDisabled === true) throw new McpError('serverDisabled');
    if (!this.#options.isTrusted()) throw new McpError('untrustedWorkspace');
    throwIfUnusable(entry.snapshot.configProblems);
    if (this.#isDisposed || token?.isCancellationRequested === true) {
      throw new McpError('cancelled');
    }
    const connection = entry.connection?.isAlive ? entry.connection : this.#run(id, entry);
    await connection.join(token);
    return entry.snapshot;
  }

  /** The state becomes `stopped` at once; resolves when the process has ended. Idempotent. */
  async stop(id: string): Promise<void> {
    this.#restarts.forget(id);
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#endRun(id, entry);
    await this.#endings.get(id);
  }

  async restart(id: string, token?: CancellationToken): Promise<Server> {
    await this.stop(id);
    return this.start(id, token);
  }

  /** Lists the tools again, or joins a listing in progress. @throws {McpError} notRunning | … */
  async refreshTools(id: string): Promise<void> {
    const { connection } = this.#entry(id);
    if (connection === undefined) throw new McpError('notRunning');
    await connection.refreshTools();
  }

  /** Resolves once all announced changes of the server's tools are listed. */
  async listAnnouncedTools(id: string): Promise<void> {
    await this.#entries.get(id)?.connection?.listAnnouncedTools();
  }

  /** Recomputes the risk of each tool. Entries with the same risk stay the same objects. */
  reassessRisks(): void {
    for (const { connection } of this.#entries.values()) connection?.reassess();
  }

  /**
   * Applies what is disabled, and the states of sign-ins. A server that is disabled now is stopped.
   */
  reassessMarks(): void {
    for (const [id, entry] of this.#entries) {
      const now = withMarks(entry.snapshot, this.#options);
      if (now !== entry.snapshot) {
        entry.snapshot = now;
        this.#collect();
        this.#onDidChange.fire({ kind: 'state', id });
        if (now.isDisabled === true) void this.stop(id);
      }
      entry.connection?.reassess();
    }
  }

  /** Returns the live client. @throws {McpError} unknownServer | notRunning */
  client(id: string): McpClient {
    const client = this.#entry(id).connection?.client;
    if (client === undefined) throw new McpError('notRunning');
    return client;
  }

  /** Stops all servers at the same time; resolves when all have ended, or after 15 s. */
  async stopAll(): Promise<void> {
    this.#restarts.dispose();
    for (const [id, entry] of this.#entries) this.#endRun(id, entry);
    await settlesWithin(Promise.all(this.#endings.values()), stopLimitMs);
  }

  /** Stops everything without waiting; `stopAll` waits. */
  dispose(): void {
    this.#isDisposed = true;
    this.#restarts.dispose();
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
    const { config } = entry.snapshot;
    const { riskOf = (_config, tool) => riskOfTool(tool), redact } = this.#options;
    const asking = new CancellationTokenSource();
    const secrets = new RunSecrets(this.#options.holdSecrets);
    const connection = new Connection({
      config,
      connect: this.#options.connect,
      slots: this.#slots,
      log: this.#options.logOf(id),
      assess: (tool) => riskOf(config, tool),
      choices: toolChoicesFor(config, this.#options),
      after: this.#mayStart(config, secrets, asking.token),
      ...(redact === undefined ? {} : { redact }),
    });
    entry.connection = connection;
    connection.onDidChange(() => {
      if (!connection.isAlive) {
        asking.cancel();
        void connection.stop().then(() => secrets.release());
      }
      this.#update(id, connection);
    });
    this.#update(id, connection);
    return connection;
  }

  /**
   * Waits for the previous run to end, and for the user's approval of this one.
   * @throws {McpError} notApproved | cancelled | whatever asking rejects with
   */
  async #mayStart(
    config: ServerConfig,
    secrets: RunSecrets,
    token: CancellationToken,
  ): Promise<ServerConfig['transport']> {
    const [isApproved] = await Promise.all([
      raceCancellation(this.#options.approve(config, token), token),
      this.#endings.get(config.id),
    ]);
    if (!isApproved) throw new McpError('notApproved');
    // Inputs come last, so that a user who declines the server is not asked for secrets.
    const { inputs: values = noInputs } = this.#options;
    secrets.hold(config, config.transport);
    const transport = await raceCancellation(fillInputs(config, values, token), token);
    const leftOut = secrets.hold(config, transport);
    if (leftOut > 0) {
      const log = this.#options.logOf(config.id);
      log.warn(
        `${leftOut} secrets of the configuration are too many or too long to be left out here`,
      );
    }
    return transport;
  }

  /** Applies the state of a run, unless the server has another run now. */
  #update(id: string, connection: Connection | undefined): void {
    const entry = this.#entries.get(id);
    if (connection === undefined || entry?.connection !== connection) return;
    const before = entry.snapshot;
    const { tools, listProblems, garbageLines, notices } = connection;
    const state = shownState(connection);
    const restarts = this.#restarts.of(id);
    const { restarts: restartsBefore, ...rest } = before;
    const now: Server = {
      ...rest,
      state,
      tools,
      listProblems,
      garbageLines,
      notices,
      ...(restarts === undefined ? {} : { restarts }),
    };
    const hasNewTools = tools !== before.tools || listProblems !== before.listProblems;
    const hasNewState =
      state !== before.state ||
      garbageLines !== before.garbageLines ||
      notices !== before.notices ||
      !isSameJson(restarts, restartsBefore);
    if (!hasNewTools && !hasNewState) return;
    entry.snapshot = now;
    this.#collect();
    if (hasNewState) this.#onDidChange.fire({ kind: 'state', id });
    if (hasNewTools) this.#onDidChange.fire({ kind: 'tools', id });
    if (before.state.kind === 'running' && state.kind === 'failed') {
      void this.#restarts.ended(now.config, state.error, Date.now() - before.state.startedAt);
    }
  }

  /** Stops the run and remembers its end. A failed run stays failed, but may still be ending. */
  #endRun(id: string, { connection }: Entry): void {
    if (connection === undefined) return;
    const before = this.#endings.get(id);
    const ending = Promise.all([before, connection.stop()]).then(() => {
      if (this.#endings.get(id) === ending) this.#endings.delete(id);
    });
    this.#endings.set(id, ending);
  }

  #collect(): void {
    this.#servers = toSnapshots(this.#entries.values(), this.#servers);
  }
}

export interface RegistryOptions extends ServerMarks {
  readonly connect: Connect;
  /** Returns false while no server may start. */
  readonly isTrusted: () => boolean;
  /**
   * Asks before each start. Cancelled when the start is cancelled, or when the configuration
   * changes meanwhile, because the answer is invalid then.
   */
  readonly approve: (config: ServerConfig, token: CancellationToken) => Promise<boolean>;
  readonly logOf: (serverId: string) => ConnectionLog;
  /** Provides the values of inputs after the approval. Without it, a server with inputs fails. */
  readonly inputs?: InputValues;
  /** Restarts processes that end unexpectedly. Defaults to never. */
  readonly restarts?: CrashRestartPolicy;
  /** Tools with optional task support that run as tasks. Defaults to none. */
  readonly taskChoices?: Pick<TaskChoices, 'runsAsTask'>;
  /** Returns the effective risk of a tool. Defaults to the server's annotations. */
  readonly riskOf?: (config: ServerConfig, tool: Tool) => Risk;
  /** Registers the secrets of a configuration with the redaction before a run. Defaults to none. */
  readonly holdSecrets?: RegisterServerSecrets;
  /** Removes secrets from error details. Defaults to no removal. */
  readonly redact?: Redact;
}

/** Problems by the id of the server that they are about; grouped once, because there may be many of both. */
function byServer(problems: readonly ConfigProblem[]): ReadonlyMap<string, ConfigProblem[]> {
  const found = new Map<string, ConfigProblem[]>();
  for (const problem of problems) {
    if (problem.server === undefined) continue;
    const known = found.get(problem.server);
    if (known === undefined) found.set(problem.server, [problem]);
    else known.push(problem);
  }
  return found;
}
