import { CancellationToken } from 'vscode-jsonrpc/node';
import { settlesWithin } from '../bounds/valueWithin';
import type { CallOptions, ListOptions, RequestOptions } from '../client';
import { raceCancellation } from '../rpc/cancellation';
import { usableCapabilities } from './clientCapabilities';
import type { Era, EraContext, EraSink, Session } from './era';
import { McpError } from '../errors';
import { ttlOf, CachedList, type SendRequest } from './cachedList';
import {
  answerRound,
  InputRequired,
  parseInputRequired,
  waitForServer,
  RoundClock,
} from '../input/inputRounds';
import type { RoundParams } from '../input/inputRounds';
import type { ReadPage } from '../parse/listPages';
import { checkComplete, parseToolResult } from '../parse/parseResults';
import { listAllTools, withoutTasks } from '../parse/parseTool';
import { MirroredArguments } from './mirroredArguments';
import {
  type DiscoverResult,
  explainStatelessError,
  isHeaderMismatch,
  isRevisionRefused,
  requestMeta,
  type RequestMeta,
  statelessRevision,
  requireComplete,
  parseTaskOrResult,
} from './statelessMeta';
import { CompletionRequests, PromptRequests, SkillRequests } from './resourceRequests';
import type { RequestParams } from '../rpc/rpc';
import { isObject } from '../json/shapes';
import {
  StatelessResources,
  type StatelessResourceWiring,
  StatelessTaskRequests,
} from './statelessResources';
import type { Subscription } from './subscription';
import { Subscriptions } from './subscriptions';
import { cancelLateTask, followNewTask, followTask, type FollowOptions } from '../tasks/followTask';
import { isTask } from '../tasks/statelessTasks';
import {
  parseTask,
  type TaskState,
  initialTaskState,
  type TaskHandle,
  type TaskMethod,
} from '../tasks/taskState';
import type { ServerCapabilities, ToolList, ToolResult } from '../types';

/** Limits the rounds of one call; wizards have fewer steps. */
const maxRounds = 25;
/** How long the first lists wait for the subscription, so that no change is missed in between. */
const listAfterMs = 1_000;

/**
 * The revision without sessions: every request carries the client's identity and capabilities, and
 * the server asks back in its results. The client sends requests and cancellations, but no answers.
 *
 * Spec: 2026-07-28 basic
 */
export class StatelessEra implements Era, EraSink {
  readonly kind = 'stateless';
  readonly session: Session;
  readonly #context: EraContext;
  readonly #meta: RequestMeta;
  readonly resources: StatelessResources;
  readonly prompts: PromptRequests;
  readonly completions: CompletionRequests;
  readonly skills: SkillRequests;
  readonly #subscriptions: Subscriptions;
  readonly #tasks: StatelessTaskRequests;
  /** The subscription to list changes. */
  readonly #subscription: Subscription | undefined;
  readonly #mirrored: MirroredArguments | undefined;
  readonly #tools: CachedList<ToolList>;
  /** The methods of the lists that were requested on this connection. */
  readonly #listed = new Set<string>();
  #opened: Promise<unknown> | undefined;

  readonly #send: SendRequest = (method, params, parse, options) => {
    const { rpc } = this.#context;
    const mayBeTask = method === 'tools/call' || method.startsWith('tasks/');
    const own = mayBeTask ? this.#meta.ofTasks : this.#meta.usual;
    const meta = options?.meta === undefined ? own : { ...options.meta, ...own };
    const sent = { ...params, _meta: meta };
    return rpc.request(method, sent, parse, options, (error) => {
      if (!isRevisionRefused(error)) return explain(error);
      // Repeated once, even with the version that was just refused.
      return rpc.request(method, sent, parse, options, explain);
    });
  };

  readonly #sendComplete: SendRequest = (method, params, parse, options) =>
    this.#send(method, params, requireComplete(parse), options);

  readonly #sendList: SendRequest = async (method, params, parse, options) => {
    if (!this.#listed.has(method)) await this.#waitForSubscription(options);
    this.#listed.add(method);
    return this.#sendComplete(method, params, parse, options);
  };

  constructor(context: EraContext, discovered: DiscoverResult) {
    const { supportedVersions: _, ...rest } = discovered;
    this.session = usableCapabilities({ revision: statelessRevision, ...rest }, context.claimed);
    this.#context = context;
    this.#meta = requestMeta(context);
    this.#mirrored = context.isHttp ? new MirroredArguments(context.log) : undefined;
    this.#tools = new CachedList({
      method: 'tools/list',
      key: 'tools',
      ttlOf,
      listAll: (readPage) => this.#listAllTools(readPage),
    });
    // Requests of the server violate the protocol, and so would an answer.
    context.enter(this, 'drop');
    const { rpc, log, limits, isHttp, events, untilSignedIn } = context;
    const { capabilities } = this.session;
    const waiting = untilSignedIn === undefined ? {} : { untilSignedIn };
    const wiring = { rpc, log, isHttp, meta: this.#meta.usual, times: limits, ...waiting };
    const subscriptions = new Subscriptions(wiring);
    this.#subscriptions = subscriptions;
    const requests: Pick<StatelessResourceWiring, 'send' | 'inRounds'> = {
      send: this.#sendList,
      inRounds: (method, params, parse, options, onRound) =>
        this.#inRounds(method, params, requireComplete(parse), undefined, options, onRound),
    };
    this.resources = new StatelessResources({ ...requests, subscriptions, events, capabilities });
    this.prompts = new PromptRequests({ send: requests.send, ttlOf }, requests.inRounds);
    this.skills = new SkillRequests(this.#sendComplete);
    this.completions = new CompletionRequests(this.#sendComplete, this.session);
    this.#tasks = new StatelessTaskRequests({
      send: this.#send,
      input: context.input,
      meta: this.#meta.ofTasks,
      subscriptions,
      capabilities,
    });
    this.#subscription = this.#subscribe(capabilities);
  }

  listTools(options: ListOptions | undefined): Promise<ToolList> {
    return this.#tools.read(this.#sendList, options);
  }

  async #listAllTools(readPage: ReadPage): Promise<ToolList> {
    const list = withoutTasks(await listAllTools(readPage));
    return { ...list, tools: this.#mirrored?.adopt(list.tools) ?? list.tools };
  }

  callTool(
    name: string,
    args: object | undefined,
    options: CallOptions | undefined,
  ): Promise<ToolResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return this.#followed(
      name,
      options,
      this.#mirrored === undefined
        ? this.#call(params, name, options)
        : this.#callMirrored(this.#mirrored, name, args, params, options),
    );
  }

  /** The server alone decides whether a call becomes a task, so both results are accepted. */
  async #followed(
    tool: string,
    options: CallOptions | undefined,
    called: Promise<TaskState | ToolResult>,
  ): Promise<ToolResult> {
    const answer = await called;
    if (!('taskId' in answer)) return answer;
    return followNewTask(answer, { wire: this.kind, tool }, options, this.#tasks.wire(tool));
  }

  resumeTask(handle: TaskHandle, options: FollowOptions | undefined): Promise<ToolResult> {
    return followTask(initialTaskState(handle), options, this.#tasks.wire(handle.tool));
  }

  requestTask(
    method: TaskMethod,
    taskId: string,
    options: RequestOptions | undefined,
  ): Promise<TaskState | undefined> {
    const parse = (result: unknown) => {
      const checked = checkComplete(result, 'task');
      const isTold = method === 'tasks/get' || (isObject(checked) && 'taskId' in checked);
      return isTold ? parseTask(checked, 'stateless') : undefined;
    };
    return this.#send(method, { taskId }, parse, options);
  }

  #call(
    params: RequestParams,
    tool: string,
    options: CallOptions | undefined,
  ): Promise<TaskState | ToolResult> {
    const onLateAnswer = (result: unknown) => {
      if (isTask(result)) {
        cancelLateTask(
          () => parseTask(result, 'stateless'),
          this.#tasks.send(CancellationToken.None),
        );
      }
      options?.onLateAnswer?.(result);
    };
    const told = { ...options, onLateAnswer };
    const hasTasks = this.#context.claimed?.tasks !== false;
    const parse = hasTasks ? parseTaskOrResult : requireComplete(parseToolResult);
    return this.#inRounds('tools/call', params, parse, tool, told);
  }

  async #callMirrored(
    mirrored: MirroredArguments,
    name: string,
    args: object | undefined,
    params: RequestParams,
    options: CallOptions | undefined,
  ): Promise<TaskState | ToolResult> {
    const call = () => this.#call(mirrored.withHeaders(params, name, args), name, options);
    try {
      return await call();
    } catch (error) {
      if (!isHeaderMismatch(error)) throw error;
      // The call was refused before it had an effect, perhaps because the cached list is outdated
      //
      await this.listTools({ ...withToken(options), isRefresh: true });
      return call();
    }
  }

  /** This era has no ping, but every server answers `server/discover`. */
  ping(options: RequestOptions | undefined): Promise<void> {
    return this.#send('server/discover', {}, (result) => void checkComplete(result), options);
  }

  take(method: string, params: unknown): void {
    if (method === 'notifications/message') this.#context.events.logged(params);
    else this.#subscriptions.take(method, params);
  }

  answer(): never {
    throw new McpError('internal', { detail: 'requests are dropped in this era' });
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#tools.changed();
    this.prompts.listChanged();
    this.resources.dispose();
  }

  #subscribe(capabilities: ServerCapabilities): Subscription | undefined {
    const { toolsListChanged, promptsListChanged, resourcesListChanged } = capabilities;
    if (!toolsListChanged && !promptsListChanged && !resourcesListChanged) return undefined;
    const onToolsChanged = () => {
      this.#tools.changed();
      this.#context.events.toolsChanged.fire();
    };
    const onPromptsChanged = () => {
      this.prompts.listChanged();
      this.#context.events.promptsChanged.fire();
    };
    return this.#subscriptions.open({
      subject: 'lists',
      filter: {
        ...(toolsListChanged ? { toolsListChanged } : {}),
        ...(promptsListChanged ? { promptsListChanged } : {}),
        ...(resourcesListChanged ? { resourcesListChanged } : {}),
      },
      onOpen: (granted) => {
        // Lists that were requested before may be outdated.
        const isOld = (...methods: string[]) => methods.some((each) => this.#listed.has(each));
        if (granted.toolsListChanged && isOld('tools/list')) onToolsChanged();
        if (granted.resourcesListChanged && isOld('resources/list', 'resources/templates/list')) {
          this.resources.listChanged();
        }
        if (granted.promptsListChanged && isOld('prompts/list')) onPromptsChanged();
      },
      onNews: (method) => {
        if (method === 'notifications/tools/list_changed') onToolsChanged();
        else if (method === 'notifications/prompts/list_changed') onPromptsChanged();
        else this.resources.listChanged();
      },
    });
  }

  async #waitForSubscription(options: ListOptions | undefined): Promise<void> {
    if (this.#subscription === undefined) return;
    this.#opened ??= settlesWithin(this.#subscription.settled, listAfterMs);
    await raceCancellation(this.#opened, options?.token);
  }

  /** Sends a request that the server may answer with questions, repeatedly. */
  async #inRounds<T>(
    method: string,
    params: RequestParams,
    parse: (result: unknown) => T,
    tool: string | undefined,
    options: CallOptions | undefined,
    onRound?: () => void,
  ): Promise<T> {
    const parseRound = (result: unknown) =>
      isObject(result) && result.resultType === 'input_required'
        ? parseInputRequired(result)
        : parse(result);
    let outcome = await this.#send(method, params, parseRound, options);
    if (!(outcome instanceof InputRequired)) return outcome;
    const { callCeilingMs } = this.#context.limits;
    const clock = new RoundClock(() => options?.deadline?.ceilingMs ?? callCeilingMs);
    let waits = 0;
    for (let round = 0; outcome instanceof InputRequired; round += 1) {
      if (round === maxRounds) throw new McpError('tooManyRounds', { limit: maxRounds });
      onRound?.();
      waits = (outcome.requests ?? []).length === 0 ? waits + 1 : 0;
      const added: RoundParams = await clock.without(this.#answer(outcome, waits, tool, options));
      clock.check();
      outcome = await this.#send(method, { ...params, ...added }, parseRound, options);
    }
    return outcome;
  }

  async #answer(
    required: InputRequired,
    waits: number,
    tool: string | undefined,
    options: CallOptions | undefined,
  ): Promise<RoundParams> {
    const token = options?.token ?? CancellationToken.None;
    if (waits > 0) await waitForServer(waits, token);
    const origin = tool === undefined ? {} : { tool };
    return answerRound(required, { broker: this.#context.input, origin, token });
  }
}

function explain(error: McpError): never {
  throw explainStatelessError(error);
}

function withToken(options: RequestOptions | undefined): RequestOptions {
  return options?.token === undefined ? {} : { token: options.token };
}
