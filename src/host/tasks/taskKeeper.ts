import { CancellationToken, type Disposable } from 'vscode-jsonrpc/node';
import { McpError, toMcpError, isMcpError } from '../../core/errors';
import type { SchemaValidator } from '../../core/schema/schema';
import { mayTaskGoOn } from '../../core/tasks/followTask';
import { initialTaskState, type TaskHandle } from '../../core/tasks/taskState';
import type { CallOutcome, CallRequest } from '../calls/call';
import type { CallJournal } from '../calls/callJournal';
import { toOutcome } from '../calls/gate';
import { checkResult } from '../calls/checkResult';
import type { OngoingCall } from '../calls/ongoingCall';
import type { RunningCalls } from '../calls/runningCalls';
import type { TaskKeeping } from '../calls/taskKeeping';
import type { ServerConfig } from '../configuration/serverConfig';
import type { ServerRegistry } from '../connections/registry';
import { serverFingerprint } from '../consent/facts/fingerprints';
import type { StoredArguments } from '../history/storedArguments';
import type { ExclusiveLocks } from '../storage/exclusiveLocks';
import { type StoredTasks, storedUntil, type StoredTask } from './storedTasks';
import { riskOfTool } from '../../core/risk';
import { TaskRetries } from './taskRetries';
import type { Server, ToolEntry } from '../connections/snapshot';

export interface TaskKeeperOptions {
  readonly store: Pick<StoredTasks, 'put' | 'all' | 'get' | 'remove' | 'onDidChange'>;
  readonly locks: Pick<ExclusiveLocks, 'attempt'>;
  readonly registry: Pick<ServerRegistry, 'find' | 'client' | 'onDidChange'>;
  readonly calls: Pick<RunningCalls, 'begin' | 'withdraw' | 'end'>;
  readonly journal: Pick<CallJournal, 'ended'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  /** Returns the storable arguments of a call. */
  readonly storedArgumentsOf: (callId: string) => StoredArguments | undefined;
  /** Identifies the account in use at the server; empty for none. */
  readonly accountOf: (config: ServerConfig) => Promise<string>;
  /** Returns true if the user may be watching. Defaults to true. */
  readonly isWatched?: () => boolean;
  /**
   * Called once if tasks cannot be stored and end with the window, with the storage's message,
   * which is untrusted.
   */
  readonly onProblem: (detail: string) => void;
}

/** Interval of checking whether other windows with tasks are gone. */
const lookMs = 5_000;

/**
 * Stores the tasks of calls beyond the end of their connection and window, and resumes them when
 * their server runs. One window at a time follows a task; the others show it.
 */
export class TaskKeeper implements TaskKeeping, Disposable {
  readonly #options: TaskKeeperOptions;
  /** Running tasks of calls in this window, each with the function that releases its lock. */
  readonly #own = new Map<string, () => void>();
  /** Calls of tasks that another window created, or left. */
  readonly #shown = new Map<string, OngoingCall>();
  readonly #resuming = new Set<string>();
  readonly #retries = new TaskRetries();
  /** Tasks of other windows as last read from storage. */
  #foreign: readonly StoredTask[] | undefined;
  readonly #subscriptions: readonly Disposable[];
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #looksAgain = false;
  #isTold = false;
  #isDisposed = false;

  constructor(options: TaskKeeperOptions) {
    this.#options = options;
    this.#subscriptions = [
      options.store.onDidChange(() => void this.look()),
      options.registry.onDidChange((change) => {
        if (change.kind === 'tools') return;
        if (change.kind === 'state') this.#retries.serverChanged(change.id);
        if (this.#foreign?.length !== 0) void this.look();
      }),
    ];
  }

  async keep(call: OngoingCall, handle: TaskHandle): Promise<void> {
    const { store } = this.#options;
    try {
      // Locks first, because other windows are notified at once.
      await this.#hold(call.id);
      await store.put(await this.#taskOf(call, handle));
      call.taskKept(true, storedUntil(handle));
    } catch (error) {
      call.taskKept(false, storedUntil(handle));
      this.#notify(error);
    }
  }

  async ended(callId: string, outcome: CallOutcome): Promise<void> {
    const release = this.#own.get(callId);
    if (release === undefined) return;
    const isLeft = outcome.kind === 'failed' && outcome.error.code === 'taskLeft';
    if (!isLeft) await this.#remove(callId);
    this.#own.delete(callId);
    release();
    if (isLeft) await this.look();
  }

  /** Stops waiting for the task, which may continue. */
  async forget(callId: string): Promise<void> {
    const task = await this.#options.store.get(callId).catch(() => undefined);
    const call = this.#shown.get(callId);
    if (task === undefined || call === undefined || this.#resuming.has(callId)) {
      await this.#remove(callId);
      return;
    }
    // Otherwise the change of the storage would withdraw the call before it has ended.
    this.#resuming.add(callId);
    try {
      const error = new McpError('taskLost', { outcomeUnknown: true });
      await this.#end(task, call, toOutcome(error, Date.now() - task.sentAt));
    } finally {
      this.#resuming.delete(callId);
    }
  }

  /** Shows all stored tasks, and resumes those that can be resumed. Never rejects. */
  look(): Promise<void> {
    this.#looksAgain = true;
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
    for (const release of this.#own.values()) release();
  }

  async #lookOnce(): Promise<void> {
    while (this.#looksAgain && !this.#isDisposed) {
      this.#looksAgain = false;
      try {
        const tasks = await this.#options.store.all();
        this.#foreign = tasks.filter(({ callId }) => !this.#own.has(callId));
        await this.#takeUpAll();
      } catch (error) {
        this.#notify(error);
      }
    }
  }

  /** Repeats without reading the storage, which announces every change. */
  async #takeUpAll(): Promise<void> {
    const known = (this.#foreign ?? []).filter((task) => this.#isConfigured(task));
    this.#withdrawOthers(known);
    await Promise.all(known.map((task) => this.#takeUp(task)));
    if (known.length === 0 || this.#isDisposed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#takeUpAll().catch((error: unknown) => this.#notify(error));
    }, lookMs).unref();
  }

  #withdrawOthers(tasks: readonly StoredTask[]): void {
    const known = new Set([...tasks.map(({ callId }) => callId), ...this.#resuming]);
    for (const [callId, call] of this.#shown) {
      if (known.has(callId)) continue;
      this.#shown.delete(callId);
      this.#options.calls.withdraw(call);
    }
  }

  /** Follows the task if its server runs and no other window does. */
  async #takeUp(task: StoredTask): Promise<void> {
    const { callId } = task;
    if (this.#resuming.has(callId)) return;
    const call = this.#show(task);
    if (!(await this.#isReachable(task))) {
      this.#place(task, call, 'left');
      return;
    }
    const isDue = this.#retries.isDue(callId) || call.token.isCancellationRequested;
    if (this.#resuming.has(callId) || !isDue) return;
    this.#resuming.add(callId);
    void this.#options.locks
      .attempt(`task ${callId}`, () => this.#follow(task, call))
      .then((done) => {
        this.#resuming.delete(callId);
        if (done !== undefined) return;
        this.#place(task, call, 'elsewhere');
        if (call.token.isCancellationRequested) this.#cancelElsewhere(task, call);
      })
      .catch((error: unknown) => {
        this.#resuming.delete(callId);
        this.#notify(error);
      });
  }

  /** The window that follows the task learns of it from the server. */
  #cancelElsewhere({ server, handle }: StoredTask, { token }: OngoingCall): void {
    const { registry } = this.#options;
    if (registry.find(server)?.state.kind !== 'running') return;
    registry
      .client(server)
      .resumeTask(handle, { token })
      .catch(() => undefined);
  }

  async #follow(task: StoredTask, call: OngoingCall): Promise<void> {
    const { store, registry, validator } = this.#options;
    const { callId, handle, sentAt } = task;
    // Another window may have seen its end meanwhile.
    if ((await store.get(callId)) === undefined) {
      this.#drop(callId);
      this.#options.calls.withdraw(call);
      return;
    }
    this.#place(task, call, 'here');
    const elapsedMs = () => Math.max(0, Date.now() - sentAt);
    let outcome: CallOutcome;
    try {
      const result = await registry.client(task.server).resumeTask(handle, {
        token: call.token,
        onTask: (state) => call.runsAsTask(state),
        ...(this.#options.isWatched && { isWatched: this.#options.isWatched }),
      });
      const entry = call.entry ?? toolEntryOf(undefined, task);
      outcome = checkResult(validator, entry, result, elapsedMs());
    } catch (thrown) {
      if (mayTaskGoOn(thrown) && !isGivenUp(thrown, handle)) {
        this.#retries.failed(callId, task.server, toMcpError(thrown).facts.retryAfterMs);
        this.#place(task, call, 'left');
        return;
      }
      outcome = toOutcome(withUnknownOutcome(toMcpError(thrown)), elapsedMs());
    }
    await this.#end(task, call, outcome);
  }

  /**
   * Records the end before removing the task, so that a window killed in between resumes it once
   * more.
   */
  async #end(task: StoredTask, call: OngoingCall, outcome: CallOutcome): Promise<void> {
    const { callId } = task;
    const ended: CallOutcome = { ...outcome, callId, isResumed: true };
    await this.#options.journal.ended(callId, requestOf(task), ended);
    await this.#remove(callId);
    this.#drop(callId);
    this.#options.calls.end(call, ended);
  }

  #drop(callId: string): void {
    this.#retries.ended(callId);
    this.#shown.delete(callId);
    this.#foreign = this.#foreign?.filter((task) => task.callId !== callId);
  }

  #show(task: StoredTask): OngoingCall {
    const known = this.#shown.get(task.callId);
    if (known !== undefined) return known;
    const { callId, startedAt, handle } = task;
    const { calls } = this.#options;
    const call = calls.begin(callId, requestOf(task), CancellationToken.None, startedAt);
    this.#shown.set(callId, call);
    call.taskKept(true, storedUntil(handle));
    call.runsAsTask(initialTaskState(handle));
    call.token.onCancellationRequested(() => void this.look());
    return call;
  }

  /** Finds the tool each time, because the server's tools are known only while it runs. */
  #place(task: StoredTask, call: OngoingCall, place: OngoingCall['taskPlace']): void {
    const { registry } = this.#options;
    const server = registry.find(task.server);
    if (server !== undefined) call.found(server.config, toolEntryOf(server, task));
    call.goesOn(place, task.sentAt, () => registry.find(task.server)?.state.kind === 'running');
  }

  /** Returns true if this window has the server as configured when the task was created. */
  #isConfigured({ server: id, configuration }: StoredTask): boolean {
    const server = this.#options.registry.find(id);
    return server !== undefined && serverFingerprint(server.config) === configuration;
  }

  /** Returns true if the server runs for the same account. */
  async #isReachable({ server: id, account }: StoredTask): Promise<boolean> {
    const server = this.#options.registry.find(id);
    if (server?.state.kind !== 'running') return false;
    return (await this.#options.accountOf(server.config)) === account;
  }

  async #taskOf(call: OngoingCall, handle: TaskHandle): Promise<StoredTask> {
    const { id: callId, config, server, origin, client, startedAt, sentAt = startedAt } = call;
    if (config === undefined) throw new McpError('internal', { detail: 'a task of no server' });
    const account = await this.#options.accountOf(config);
    const { value, secrets = [] } = this.#options.storedArgumentsOf(callId) ?? {};
    return {
      callId,
      server,
      configuration: serverFingerprint(config),
      account,
      origin,
      ...(client === undefined ? {} : { client }),
      startedAt,
      sentAt,
      handle,
      ...(value === undefined ? {} : { arguments: value }),
      ...(secrets.length === 0 ? {} : { secrets }),
    };
  }

  /** Resolves when this window has the lock, which it keeps while the call continues. */
  #hold(callId: string): Promise<void> {
    this.#own.set(callId, () => undefined);
    return new Promise((resolve, reject) => {
      const attempt = this.#options.locks.attempt(`task ${callId}`, () => {
        const held = new Promise<void>((release) => this.#own.set(callId, release));
        resolve();
        return held;
      });
      attempt.then(() => resolve(), reject);
    });
  }

  async #remove(callId: string): Promise<void> {
    try {
      await this.#options.store.remove(callId);
    } catch (error) {
      this.#notify(error);
    }
  }

  #notify(error: unknown): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#options.onProblem(toMcpError(error).facts.detail ?? String(error));
  }
}

/** Returns the task's tool as its server lists it now, or a minimal entry. */
function toolEntryOf(server: Server | undefined, { server: id, handle }: StoredTask): ToolEntry {
  const listed = server?.tools.find(({ tool }) => tool.name === handle.tool);
  if (listed !== undefined) return listed;
  const tool = {
    name: handle.tool,
    inputSchema: {},
    annotations: {},
    callable: false,
    problems: [],
  };
  return { serverId: id, tool, risk: riskOfTool(tool) };
}

/** Returns the request of the call, as far as it is known. */
function requestOf(task: StoredTask): CallRequest {
  const { server, origin, client, arguments: given, secrets } = task;
  return {
    server,
    tool: task.handle.tool,
    origin,
    ...(client === undefined ? {} : { client }),
    ...(given === undefined ? {} : { arguments: given }),
    ...(secrets === undefined ? {} : { secrets }),
  };
}

/** Returns true if the server only fails and the task's lifetime is over. */
function isGivenUp(error: unknown, handle: TaskHandle): boolean {
  return isMcpError(error, 'httpError') && (storedUntil(handle) ?? Infinity) < Date.now();
}

/** The outcome of a task that is gone is unknown, unless the server states it. */
function withUnknownOutcome(error: McpError): McpError {
  const isKnown = ['cancelled', 'serverError'].includes(error.code);
  return isKnown ? error : new McpError(error.code, { ...error.facts, outcomeUnknown: true });
}
