import { randomBytes } from 'node:crypto';
import type { CancellationTokenSource, CancellationToken } from 'vscode-jsonrpc/node';
import { LinkedCancellationSource } from '../../core/rpc/cancellation';
import type { TaskState } from '../../core/tasks/taskState';
import { visibleText } from '../../core/visibleText';
import type { AgentAnswer } from './agentResult';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { isObject, type UnknownObject } from '../../core/json/shapes';
import { tasksExtension } from '../../core/parse/parseResults';
import { statelessRevisions } from '../../core/types';
import { clientNameOf } from './agentProtocol';

export interface AgentTaskLimits {
  /** Number of tasks for each agent. Further calls wait for their result instead. */
  readonly maxPerAgent: number;
  readonly maxTasks: number;
  /** Milliseconds for which a result is kept after its task ended. */
  readonly keptMs: number;
  /** Limit for all results that wait to be fetched, in characters of JSON. */
  readonly maxKeptChars: number;
}

const defaultLimits: AgentTaskLimits = {
  maxPerAgent: 20,
  maxTasks: 100,
  keptMs: 3_600_000,
  maxKeptChars: 32 * 1024 * 1024,
};

/** Suggested polling interval in milliseconds. */
const pollMs = 2_000;
const maxMessageChars = 500;

/** The members of a task as the tasks extension defines them. */
export type AgentTaskFacts = Readonly<Record<string, unknown>>;

interface AgentTask {
  readonly taskId: string;
  readonly owner: string;
  readonly createdAt: number;
  readonly source: CancellationTokenSource;
  changedAt: number;
  message: string | undefined;
  /** Set once the task has ended. */
  end: { readonly answer: AgentAnswer | undefined; readonly chars: number } | undefined;
}

/**
 * Calls of agents that run as tasks at their servers. The agent gets a handle of Toolgate and never
 * the server's task id. The handle is valid for the same client on the same path, also on a later
 * connection, until this window stops serving agents.
 */
export class AgentTasks {
  readonly #limits: AgentTaskLimits;
  readonly #now: () => number;
  readonly #byId = new Map<string, AgentTask>();

  constructor(limits: Partial<AgentTaskLimits> = {}, now: () => number = () => Date.now()) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#now = now;
  }

  /**
   * Makes a call; resolves with its answer, or with a handle as soon as the server runs it as a
   * task. From then on, `token` no longer cancels the call.
   */
  async begin(
    owner: string,
    token: CancellationToken,
    call: (token: CancellationToken, onTask: (task: TaskState) => void) => Promise<AgentAnswer>,
  ): Promise<AgentAnswer | { readonly task: AgentTaskFacts }> {
    const source = new LinkedCancellationSource(token);
    let task: AgentTask | undefined;
    let isFull = false;
    return new Promise((resolve, reject) => {
      const onTask = ({ statusMessage }: TaskState): void => {
        if (isFull || source.token.isCancellationRequested) return;
        const isNew = task === undefined;
        task ??= this.#add(owner, source);
        isFull = task === undefined;
        if (task === undefined) return;
        task.changedAt = this.#now();
        task.message = statusMessage && visibleText(statusMessage, maxMessageChars);
        if (!isNew) return;
        source.unlink();
        resolve({ task: this.#factsOf(task) });
      };
      call(source.token, onTask)
        .then(
          (answer) => {
            if (task !== undefined) this.#ended(task, answer);
            resolve(answer);
          },
          (error: unknown) => {
            if (task !== undefined) this.#ended(task, undefined);
            reject(error);
          },
        )
        .finally(() => source.unlink());
    });
  }

  /**
   * Returns the state of a task, with its result once it ended; `undefined` if this agent has no
   * such task.
   */
  get(owner: string, taskId: string): AgentTaskFacts | undefined {
    const task = this.#find(owner, taskId);
    return task === undefined ? undefined : this.#factsOf(task, true);
  }

  /** Cancels a task; returns false if it does not exist. A task that has ended stays as it is. */
  cancel(owner: string, taskId: string): boolean {
    const task = this.#find(owner, taskId);
    task?.source.cancel();
    return task !== undefined;
  }

  /** Cancels the running tasks, because their handles can no longer be used. */
  dispose(): void {
    for (const { source } of this.#byId.values()) source.cancel();
    this.#byId.clear();
  }

  #find(owner: string, taskId: string): AgentTask | undefined {
    this.#forgetOld();
    const task = this.#byId.get(taskId);
    return task?.owner === owner ? task : undefined;
  }

  #add(owner: string, source: CancellationTokenSource): AgentTask | undefined {
    this.#forgetOld();
    const { maxPerAgent, maxTasks } = this.#limits;
    const own = [...this.#byId.values()].filter((task) => task.owner === owner);
    if (own.length >= maxPerAgent) this.#forgetOldest(own);
    if (this.#byId.size >= maxTasks) this.#forgetOldest([...this.#byId.values()]);
    const count = [...this.#byId.values()].filter((task) => task.owner === owner).length;
    if (count >= maxPerAgent || this.#byId.size >= maxTasks) return undefined;
    const now = this.#now();
    const taskId = randomBytes(24).toString('base64url');
    const facts = { message: undefined, end: undefined };
    const task: AgentTask = { taskId, owner, source, createdAt: now, changedAt: now, ...facts };
    this.#byId.set(taskId, task);
    return task;
  }

  #ended(task: AgentTask, answer: AgentAnswer | undefined): void {
    task.changedAt = this.#now();
    const isWanted = !task.source.token.isCancellationRequested;
    const kept = isWanted ? answer : undefined;
    task.end = { answer: kept, chars: JSON.stringify(kept ?? '').length };
    this.#forgetOld();
  }

  #forgetOld(): void {
    const { keptMs, maxKeptChars } = this.#limits;
    for (const { taskId, end, changedAt } of this.#byId.values()) {
      if (end !== undefined && this.#now() - changedAt > keptMs) this.#byId.delete(taskId);
    }
    const chars = () =>
      [...this.#byId.values()].reduce((sum, { end }) => sum + (end?.chars ?? 0), 0);
    while (chars() > maxKeptChars) this.#forgetOldest([...this.#byId.values()]);
  }

  /** Forgets ended tasks only, because a running call needs a place for its result. */
  #forgetOldest(tasks: readonly AgentTask[]): void {
    const oldest = tasks.find(({ end }) => end !== undefined);
    if (oldest !== undefined) this.#byId.delete(oldest.taskId);
  }

  #factsOf(task: AgentTask, hasResult = false): AgentTaskFacts {
    const { taskId, createdAt, changedAt, message, end, source } = task;
    const answer = end?.answer;
    const isCancelled = end !== undefined && source.token.isCancellationRequested;
    const failed = { code: -32_603, message: 'The call ended without an answer.' };
    const outcome = answer === undefined ? { error: failed } : { result: resultOf(answer) };
    return {
      taskId,
      status: end === undefined ? 'working' : statusOf(isCancelled, answer),
      ...(message === undefined ? {} : { statusMessage: message }),
      createdAt: new Date(createdAt).toISOString(),
      lastUpdatedAt: new Date(changedAt).toISOString(),
      ttlMs: end === undefined ? null : changedAt - createdAt + this.#limits.keptMs,
      pollIntervalMs: pollMs,
      ...(hasResult && end !== undefined && !isCancelled ? outcome : {}),
    };
  }
}

function statusOf(isCancelled: boolean, answer: AgentAnswer | undefined): string {
  if (isCancelled) return 'cancelled';
  return answer === undefined ? 'failed' : 'completed';
}

function resultOf(answer: AgentAnswer): object {
  return { resultType: 'complete', ...answer };
}

const prefix = 'io.modelcontextprotocol/';
const invalidParams = -32_602;
const missingCapability = -32_021;

/** Returns true if a request of the stateless era declares the tasks extension. */
export function declaresTasks(meta: unknown): boolean {
  const { [`${prefix}clientCapabilities`]: capabilities } = isObject(meta) ? meta : {};
  const { extensions } = isObject(capabilities) ? capabilities : {};
  return isObject(extensions) && isObject(extensions[tasksExtension]);
}

/**
 * Answers the task requests of agents of 2026-07-28, which the SDK does not support, and passes on
 * all other messages. Handles are valid for `path` alone.
 */
export class AgentTaskTransport implements Transport {
  readonly #inner: Transport;
  readonly #tasks: AgentTasks;
  readonly #path: string;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;

  constructor(inner: Transport, tasks: AgentTasks, path: string) {
    this.#inner = inner;
    this.#tasks = tasks;
    this.#path = path;
  }

  start(): Promise<void> {
    Object.assign(this.#inner, {
      onclose: () => this.onclose?.(),
      onerror: (error: Error) => this.onerror?.(error),
      onmessage: (...[message, extra]: Parameters<NonNullable<Transport['onmessage']>>) => {
        const answer = this.#answer(message);
        if (answer === undefined) this.onmessage?.(message, extra);
        else void this.#inner.send(answer);
      },
    });
    return this.#inner.start();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { result }: { readonly result?: unknown } = 'result' in message ? message : {};
    if (!('result' in message) || !isObject(result) || result['resultType'] !== 'task') {
      return this.#inner.send(message);
    }
    const { content: _, ...task } = message.result;
    return this.#inner.send({ ...message, result: task });
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #answer(message: JSONRPCMessage): JSONRPCMessage | undefined {
    if (!('method' in message) || !('id' in message) || !methods.has(message.method)) {
      return undefined;
    }
    const { id, method } = message;
    const params: UnknownObject = isObject(message.params) ? message.params : {};
    const { taskId, _meta: meta } = params;
    const { [`${prefix}protocolVersion`]: revision } = isObject(meta) ? meta : {};
    if (revision !== statelessRevisions[0]) return undefined;
    const fail = (code: number, text: string, data?: object): JSONRPCMessage => ({
      jsonrpc: '2.0',
      id,
      error: { code, message: text, ...(data === undefined ? {} : { data }) },
    });
    if (!declaresTasks(meta)) {
      const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
      return fail(missingCapability, 'The extension for tasks is needed', { requiredCapabilities });
    }
    const owner = taskOwner(this.#path, clientNameOf(meta));
    const facts = typeof taskId === 'string' ? this.#tasks.get(owner, taskId) : undefined;
    if (typeof taskId !== 'string' || facts === undefined) {
      return fail(invalidParams, 'There is no such task of yours, or it was kept long enough');
    }
    if (method === 'tasks/cancel') this.#tasks.cancel(owner, taskId);
    // The user answers what servers ask, so there is nothing for the agent to update.
    const result = method === 'tasks/get' ? facts : {};
    return { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } };
  }
}

const methods: ReadonlySet<string> = new Set(['tasks/get', 'tasks/update', 'tasks/cancel']);

/**
 * Returns the owner of a task. The client name is only a claim, but only holders of the token can
 * make it.
 */
export function taskOwner(path: string, client: string): string {
  return JSON.stringify([path, client]);
}
