import { CancellationToken } from 'vscode-jsonrpc/node';
import type { Disposable } from 'vscode-jsonrpc/node';
import type { CallOptions, ListOptions, RequestOptions, ReadOptions } from '../client';
import { parseRequiredElicitations } from '../input/elicitation';
import { pagesOf, type SendRequest } from './cachedList';
import type { Era, EraContext, Session, EraResources } from './era';
import { isMcpError, McpError, toMcpError } from '../errors';
import { listAllTools, withoutTasks } from '../parse/parseTool';
import { parseStatefulToolResult, parseReadResult } from '../parse/parseResults';
import type { RequestParams } from '../rpc/rpc';
import {
  cancelLateTask,
  followNewTask,
  followTask,
  type FollowOptions,
  type TaskWire,
} from '../tasks/followTask';
import {
  followStatefulTask,
  isCreatedTask,
  parseFlatTask,
  parseCreatedTask,
  type SendForTask,
  listAllTasks,
  type TaskList,
} from '../tasks/statefulTasks';
import {
  type TaskState,
  initialTaskState,
  type TaskHandle,
  type TaskMethod,
  type TaskOrigin,
} from '../tasks/taskState';
import {
  CompletionRequests,
  PromptRequests,
  ResourceRequests,
  SkillRequests,
} from './resourceRequests';
import { StatefulAnswers, handshake } from './statefulHandshake';
import type { StatefulRevision, ToolList, ToolResult } from '../types';

const browserStepRequired = -32042;

/**
 * The revisions that begin with the initialize handshake. They differ in the content of messages,
 * not in their exchange, and every older form is a subset.
 *
 * Spec: 2025-11-25 basic/lifecycle
 */
export class StatefulEra implements Era {
  readonly kind = 'stateful';
  readonly session: Session;
  readonly resources: StatefulResources;
  readonly prompts: PromptRequests;
  readonly completions: CompletionRequests;
  readonly skills: SkillRequests;
  readonly #context: EraContext;
  readonly #answers: StatefulAnswers;
  readonly #rootsListener: Disposable | undefined;

  readonly #send: SendRequest = (method, params, parse, options) => {
    const { meta } = options ?? {};
    const sent = meta === undefined ? params : { ...params, _meta: meta };
    return this.#context.rpc.request(method, sent, parse, options, (error) => {
      if (!isBrowserStep(error)) throw error;
      return this.#askForBrowserStep(error, options);
    });
  };

  private constructor(context: EraContext, answers: StatefulAnswers, session: Session) {
    this.#context = context;
    this.#answers = answers;
    this.session = session;
    this.resources = new StatefulResources(context, session, this.#send);
    // These servers give no lifetime; a list is valid until a change is reported.
    this.prompts = new PromptRequests({ send: this.#send, ttlOf: () => Infinity });
    this.skills = new SkillRequests(this.#send);
    this.completions = new CompletionRequests(this.#send, session);
    answers.onPromptsChanged = () => this.prompts.listChanged();
    answers.onResourcesChanged = () => this.resources.requests.listChanged();
    this.#rootsListener = context.input?.onDidChangeRoots?.(() =>
      context.rpc.notify('notifications/roots/list_changed'),
    );
    this.#askForLog();
  }

  /**
   * Negotiates a revision, offering `offer` first. A cancelled token does not settle this; the
   * caller ends the connection, which does.
   * @throws {McpError} unsupportedRevision | what `Rpc.request` throws
   */
  static async open(
    context: EraContext,
    offer: StatefulRevision,
    timeoutMs: number,
  ): Promise<StatefulEra> {
    const answers = new StatefulAnswers(context);
    context.enter(answers, 'answer');
    const session = await handshake(context, answers, offer, timeoutMs);
    return new StatefulEra(context, answers, session);
  }

  /** Joins the session of an earlier connection, with the revision that was negotiated there. */
  static join(context: EraContext, session: Session, revision: StatefulRevision): StatefulEra {
    const answers = new StatefulAnswers(context);
    answers.revision = revision;
    context.enter(answers, 'answer');
    return new StatefulEra(context, answers, session);
  }

  /** Not cached here: the caller keeps the list until the server reports a change. */
  async listTools(options: ListOptions | undefined): Promise<ToolList> {
    const list = await listAllTools(pagesOf(this.#send, 'tools/list', 'tools', options));
    return this.session.capabilities.taskCalls ? list : withoutTasks(list);
  }

  callTool(
    name: string,
    args: object | undefined,
    options: CallOptions | undefined,
  ): Promise<ToolResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    // Sent only to servers that declared it.
    if (options?.isTask === true && this.session.capabilities.taskCalls) {
      return this.#callAsTask(name, { ...params, task: {} }, options);
    }
    return this.#send('tools/call', params, parseStatefulToolResult, options);
  }

  listTasks(options: RequestOptions | undefined): Promise<TaskList> {
    return listAllTasks(pagesOf(this.#send, 'tasks/list', 'tasks', options));
  }

  /** The progress token of the call stays valid for the life of its task. */
  async #callAsTask(
    tool: string,
    params: RequestParams,
    options: CallOptions,
  ): Promise<ToolResult> {
    let release: (() => void) | undefined;
    const create = {
      ...options,
      onProgressKept: (kept: () => void) => (release = kept),
      onLateAnswer: (result: unknown) => {
        if (isCreatedTask(result)) {
          const send = this.#sendForTask(CancellationToken.None);
          cancelLateTask(() => parseCreatedTask(result), send);
        }
        options.onLateAnswer?.(result);
      },
    };
    try {
      const answer = await this.#send('tools/call', params, taskOrResult, create);
      if (!('taskId' in answer)) return answer;
      const { transportSession: session } = this.#context;
      const origin: TaskOrigin = { wire: this.kind, tool, ...(session && { session }) };
      return await followNewTask(answer, origin, options, this.#taskWire(tool));
    } finally {
      release?.();
    }
  }

  resumeTask(handle: TaskHandle, options: FollowOptions | undefined): Promise<ToolResult> {
    return followTask(initialTaskState(handle), options, this.#taskWire(handle.tool));
  }

  requestTask(
    method: TaskMethod,
    taskId: string,
    options: RequestOptions | undefined,
  ): Promise<TaskState> {
    return this.#sendOfTask(method, { taskId }, parseFlatTask, options);
  }

  #taskWire(tool: string): TaskWire {
    return {
      send: (token) => this.#sendForTask(token),
      follow: (run, send, over) =>
        this.#answers.tasks.during({ taskId: run.task.taskId, tool, over }, () =>
          followStatefulTask(run, send),
        ),
    };
  }

  #sendForTask(token: CancellationToken): SendForTask {
    return (method, params, parse, timeoutMs) => {
      const options = timeoutMs === undefined ? { token } : { token, timeoutMs };
      return this.#sendOfTask(method, params, parse, options);
    };
  }

  /** A task that its server cannot cancel continues without a client. */
  readonly #sendOfTask: SendRequest = (method, params, parse, options) =>
    method === 'tasks/cancel' && !this.session.capabilities.taskCancellations
      ? Promise.reject(new McpError('unsupportedFeature', { detail: method }))
      : this.#send(method, params, parse, options);

  ping(options: RequestOptions | undefined): Promise<void> {
    return this.#send('ping', {}, () => undefined, options);
  }

  dispose(): void {
    this.#rootsListener?.dispose();
    this.resources.dispose();
  }

  #askForLog(): void {
    const { rpc, log, logLevel } = this.#context;
    if (logLevel === undefined || !this.session.capabilities.logging) return;
    rpc
      .request('logging/setLevel', { level: logLevel }, () => undefined)
      .catch((error: unknown) => log.info(`logging/setLevel: ${toMcpError(error).message}`));
  }

  /**
   * Shows the user each address that the server wants to be opened. After that, the user has to
   * repeat the call.
   * @throws {McpError} browserStepRequired | cancelled
   */
  async #askForBrowserStep(error: McpError, options: CallOptions | undefined): Promise<never> {
    const token = options?.token ?? CancellationToken.None;
    const steps = parseRequiredElicitations(error.facts.rpcData);
    const { input } = this.#context;
    if (input?.canElicit === true) for (const step of steps) await input.ask(step, token);
    throw new McpError('browserStepRequired', { ...error.facts, cause: error });
  }
}

function taskOrResult(result: unknown): TaskState | ToolResult {
  return isCreatedTask(result) ? parseCreatedTask(result) : parseStatefulToolResult(result);
}

function isBrowserStep(error: unknown): error is McpError {
  return isMcpError(error, 'serverError') && error.facts.rpcCode === browserStepRequired;
}

/** Resources of the stateful era, with one subscription request per resource. */
class StatefulResources implements EraResources {
  readonly requests: ResourceRequests;
  readonly #send: SendRequest;
  readonly #context: EraContext;
  readonly #canSubscribe: boolean;
  readonly #watched = new Set<string>();
  #wanted: ReadonlySet<string> = new Set();
  /** Sequential, because requests over HTTP could overtake each other. */
  #queue: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(context: EraContext, session: Session, send: SendRequest) {
    const { capabilities } = session;
    this.#context = context;
    this.#send = send;
    this.#canSubscribe = capabilities.resourcesSubscribe;
    this.requests = new ResourceRequests({
      send,
      // These servers give no lifetime; a result is valid until a change is reported.
      ttlOf: () => Infinity,
    });
  }

  get watched(): ReadonlySet<string> {
    return this.#watched;
  }

  list(options: ListOptions | undefined) {
    return this.requests.list(options);
  }

  listTemplates(options: ListOptions | undefined) {
    return this.requests.listTemplates(options);
  }

  read(uri: string, options: ReadOptions | undefined) {
    return this.#send('resources/read', { uri }, (result) => parseReadResult(result, uri), options);
  }

  watch(uris: ReadonlySet<string>): void {
    if (!this.#canSubscribe) return;
    const before = this.#wanted;
    this.#wanted = new Set(uris);
    for (const uri of before) if (!uris.has(uri)) this.#enqueue('resources/unsubscribe', uri);
    for (const uri of uris) if (!before.has(uri)) this.#enqueue('resources/subscribe', uri);
  }

  dispose(): void {
    this.#isOver = true;
    this.#watched.clear();
  }

  #enqueue(method: 'resources/subscribe' | 'resources/unsubscribe', uri: string): void {
    this.#queue = this.#queue.then(() => this.#notify(method, uri));
  }

  async #notify(
    method: 'resources/subscribe' | 'resources/unsubscribe',
    uri: string,
  ): Promise<void> {
    if (this.#isOver) return;
    const { log, events } = this.#context;
    try {
      await this.#send(method, { uri }, () => undefined, undefined);
      if (method === 'resources/subscribe') this.#watched.add(uri);
      else this.#watched.delete(uri);
    } catch (error) {
      this.#watched.delete(uri);
      log.info(`${method}: ${toMcpError(error).message}`);
    }
    events.watchedChanged.fire();
  }
}
