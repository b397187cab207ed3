import {
  CancellationTokenSource,
  Emitter,
  type CancellationToken,
  type Disposable,
} from 'vscode-jsonrpc/node';
import type { McpClient } from '../../core/client';
import { McpError } from '../../core/errors';
import { raceCancellation } from '../../core/rpc/cancellation';
import { riskOfTool, type Risk } from '../../core/risk';
import { fillInputs, noInputs, type InputValues } from '../configuration/inputs';
import { RunSecrets, type HoldSecrets } from '../secrets/configuredSecrets';
import { CrashRestarts, neverRestart, type CrashRestartPolicy } from '../processes/crashRestarts';
import { Connection, type Connect } from './connection';
import { StartSlots } from './startSlots';
import {
  type Entry,
  pictureOf,
  reconcile,
  type ServerMarks,
  shownState,
  withMarks,
} from './registryEntry';
import { choicesFor, type TaskChoices } from '../configuration/toolChoices';
import { isSameJson } from '../../core/json/sameJson';
import {
  type ConfigProblem,
  type ServerConfig,
  throwIfUnusable,
} from '../configuration/serverConfig';
import type { RegistryChange, Server } from './snapshot';
import type { ConnectionLog } from '../../core/log';
import type { Tool } from '../../core/types';
import type { Redact } from '../secrets/redactSecrets';

/** Longer than any stop ladder takes; only a process that cannot be killed lasts so long. */
const stopLimitMs = 15_000;

/**
 * All configured servers and their connections: the one place that knows what runs. Snapshots are
 * immutable, and the same object as long as nothing changed; `onDidChange` announces a change
 * already made.
 */
export class ServerRegistry implements Disposable {
  readonly #options: RegistryOptions;
  readonly #slots = new StartSlots();
  readonly #restarts: CrashRestarts;
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
   * Starts the server and lists its tools; joins a start under way. Cancelling rejects at once, and
   * stops the start when nobody else waits for it.
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

  /** The state is `stopped` at once; resolves when its process is gone. Idempotent. */
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

  /** Lists the tools again; joins a listing under way. @throws {McpError} notRunning | … */
  async refreshTools(id: string): Promise<void> {
    const { connection } = this.#entry(id);
    if (connection === undefined) throw new McpError('notRunning');
    await connection.refreshTools();
  }

  /** Resolves once the changes of its tools that a server has announced are listed. */
  async listAnnouncedTools(id: string): Promise<void> {
    await this.#entries.get(id)?.connection?.listAnnouncedTools();
  }

  /** Takes over what the risk of each tool is now; entries whose risk is the same stay. */
  reassessRisks(): void {
    for (const { connection } of this.#entries.values()) connection?.reassess();
  }

  /** Takes over what is disabled, and how far sign-ins are; a server that is disabled now is stopped. */
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

  /** The live client. @throws {McpError} unknownServer | notRunning */
  client(id: string): McpClient {
    const client = this.#entry(id).connection?.client;
    if (client === undefined) throw new McpError('notRunning');
    return client;
  }

  /** Stops everything at the same time; resolves when all is gone, after 15 s in any case. */
  async stopAll(): Promise<void> {
    this.#restarts.dispose();
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
      choices: choicesFor(config, this.#options),
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
   * Waits for the run before, and for a yes to this one.
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
    // Only now: whoever does not want the server should not be asked for secrets.
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

  /** Takes over what a run says, unless it is not the server's run any more. */
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
    this.#servers = pictureOf(this.#entries.values(), this.#servers);
  }
}

export interface RegistryOptions extends ServerMarks {
  readonly connect: Connect;
  /** Nothing starts while this says no. */
  readonly isTrusted: () => boolean;
  /**
   * Asked before each start, and nothing runs before it says yes. Cancelled when the start is, or
   * when the configuration changed meanwhile: its answer then means nothing.
   */
  readonly approve: (config: ServerConfig, token: CancellationToken) => Promise<boolean>;
  readonly logOf: (serverId: string) => ConnectionLog;
  /** Who knows what inputs stand for; asked after a yes. Default: nobody, and such a server fails. */
  readonly inputs?: InputValues;
  /** When processes that end by themselves are started again. Default: never. */
  readonly restarts?: CrashRestartPolicy;
  /** Which tools run as tasks that need not. Default: none. */
  readonly taskChoices?: Pick<TaskChoices, 'runsAsTask'>;
  /** The effective risk of a tool. Default: what the server says. */
  readonly riskOf?: (config: ServerConfig, tool: Tool) => Risk;
  /** Makes the secrets of a configuration known for a run, before it begins. Default: nothing is one. */
  readonly holdSecrets?: HoldSecrets;
  /** Takes secrets out of what errors repeat of servers. Default: nothing is one. */
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
