import { CancellationTokenSource, type Disposable } from 'vscode-jsonrpc/node';
import { isMcpError, McpError } from '../errors';
import type { ElicitationBroker } from '../input/elicitationBroker';
import { planRound, type AnswerInput } from '../input/inputRounds';
import { boundedJson } from '../json/boundedJson';
import { parseJson } from '../json/parseJson';
import { isObject, isSameJson, type UnknownObject } from '../json/shapes';
import { checkComplete, parseToolResult } from '../parse/parseResults';
import type { ToolResult } from '../types';
import type { SendForTask } from './statefulTasks';
import type { TaskRun } from './taskRun';
import {
  isTaskEnded,
  invalidTask,
  taskMessage,
  rethrowLost,
  type TaskState,
  type TaskStatus,
  parseDetailed,
  type DetailedTask,
} from './taskState';

/** Limits the questions of one task. */
const maxQuestions = 100;
/**
 * Polls that may still show a question whose answer was refused, because some of them may have been
 * on their way.
 */
const maxRefusedPolls = 3;
/** Poll interval for tasks that the server reports without being asked, in milliseconds. */
const watchedPollMs = 30_000;

interface TaskQuestions {
  /** Absent if the user cannot be asked. */
  readonly broker: ElicitationBroker | undefined;
  readonly tool: string;
}

/**
 * Subscribes to a task's notifications until disposed. Returns `undefined` if the server has none.
 */
type WatchTask = (taskId: string, news: TaskNews) => Disposable | undefined;

/** True if the answer to a `tools/call` is a task. */
export function isTask(result: unknown): result is UnknownObject {
  return isObject(result) && result.resultType === 'task';
}

/**
 * Waits for the end of a task and resolves to its result, which is part of its state. Questions of
 * the server are answered by `tasks/update`, each key once; the task may end while one is open.
 * @throws {McpError} taskCancelled | taskLost | cancelled | timeout | serverError | invalidResult |
 * inputNotPossible | tooManyRounds
 *
 * Spec: 2026-07-28 io.modelcontextprotocol/tasks
 */
export async function followStatelessTask(
  run: TaskRun,
  send: SendForTask,
  asked: TaskQuestions,
  watch: WatchTask,
): Promise<ToolResult> {
  const { taskId } = run.task;
  const news = new TaskNews(run);
  const watching = isTaskEnded(run.task) ? undefined : watch(taskId, news);
  const questions = new OpenQuestions(run, asked, (inputResponses) =>
    send('tasks/update', { taskId, inputResponses }, () => undefined),
  );
  try {
    for (;;) {
      // A task may have ended before its creation was answered.
      if (!isTaskEnded(run.task)) {
        await run.pause(news.isTelling ? watchedPollMs : undefined);
      }
      const { state, raw } =
        news.take() ??
        (await run.read(() => send('tasks/get', { taskId }, parseDetailed).catch(rethrowLost)));
      run.update(state);
      if (isTaskEnded(state)) return outcomeOf(state, raw);
      if (state.status === 'input_required') questions.take(raw.inputRequests);
    }
  } finally {
    watching?.dispose();
    questions.dispose();
  }
}

/** @throws {McpError} taskCancelled | serverError | invalidResult */
function outcomeOf(task: TaskState, { result, error }: UnknownObject): ToolResult {
  if (task.status === 'cancelled') throw new McpError('taskCancelled', taskMessage(task));
  // Inside its task, a result has to be one that a call could end with.
  if (task.status === 'completed') return parseToolResult(checkComplete(result));
  const { code, message, data } = isObject(error) ? error : {};
  throw new McpError('serverError', {
    detail: typeof message === 'string' ? message : (task.statusMessage ?? ''),
    ...(typeof code === 'number' ? { rpcCode: code } : {}),
    ...(data === undefined ? {} : { rpcData: data }),
  });
}

/** The questions of one task. Each key is asked once and stays open while the task runs. */
class OpenQuestions {
  readonly #run: TaskRun;
  readonly #asked: TaskQuestions;
  readonly #send: (inputResponses: object) => Promise<void>;
  readonly #source = new CancellationTokenSource();
  /** The question of each key, as JSON. */
  readonly #known = new Map<string, string>();
  /** The questions whose answers the server refused, and how many polls have shown them since. */
  readonly #refused = new Map<string, { readonly error: McpError; polls: number }>();

  constructor(run: TaskRun, asked: TaskQuestions, send: (inputResponses: object) => Promise<void>) {
    this.#run = run;
    this.#asked = asked;
    this.#send = send;
  }

  /** @throws {McpError} invalidResult | tooManyRounds | serverError if an answer was refused */
  take(requests: unknown): void {
    if (!isObject(requests)) throw invalidTask('a task wants input and asks nothing');
    this.#checkRefused(requests);
    const added = Object.entries(requests).filter(([key, request]) => this.#isNew(key, request));
    if (added.length === 0) return;
    if (this.#known.size > maxQuestions)
      throw new McpError('tooManyRounds', { limit: maxQuestions });
    const { broker, tool } = this.#asked;
    const { taskId } = this.#run.task;
    for (const [key, ask] of planRound(added, { broker, origin: { tool, taskId } })) {
      void this.#answer(key, ask).catch((error) => this.#run.fail(error));
    }
  }

  dispose(): void {
    this.#source.cancel();
  }

  #isNew(key: string, request: unknown): boolean {
    const json = boundedJson(request, 100_000);
    const known = this.#known.get(key);
    if (known !== undefined && !isSameQuestion(known, json))
      throw invalidTask('one key for two questions');
    this.#known.set(key, json);
    return known === undefined;
  }

  /** A task that still waits for a refused answer would wait until its time is over. */
  #checkRefused(requests: UnknownObject): void {
    for (const [key, refused] of this.#refused) {
      if (!Object.hasOwn(requests, key)) continue;
      refused.polls += 1;
      if (refused.polls >= maxRefusedPolls) throw refused.error;
    }
  }

  /**
   * Answered separately, because one may be answered long before another. The task may have ended
   * before an answer comes; so the next polls decide what a refusal means.
   */
  async #answer(key: string, ask: AnswerInput): Promise<void> {
    const { token } = this.#source;
    const answer = await ask(token);
    if (token.isCancellationRequested) return;
    try {
      await this.#run.answer(() => this.#send(Object.fromEntries([[key, answer]])));
    } catch (error) {
      if (!isMcpError(error, 'serverError')) throw error;
      this.#refused.set(key, { error, polls: 0 });
      this.#run.wake();
    }
  }
}

/** Compares questions of bounded JSON. Servers may repeat one with its members in another order. */
function isSameQuestion(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    return isSameJson(parseJson(one), parseJson(other));
  } catch {
    // A question that is too long is no complete JSON.
    return false;
  }
}

/** The data that belongs to a status, without which the task cannot be followed. */
const dataOfStatus: Partial<Record<TaskStatus, string>> = {
  input_required: 'inputRequests',
  completed: 'result',
  failed: 'error',
};

/** Notifications of a 2026-07-28 server about one task. Each replaces a poll. */
export class TaskNews {
  readonly #run: TaskRun;
  #latest: DetailedTask | undefined;
  #isTelling = false;

  constructor(run: TaskRun) {
    this.#run = run;
  }

  /** Handles the params of `notifications/tasks`. Polls get what is not a state of this task. */
  notify(params: unknown): void {
    const told = this.#parse(params);
    if (told === undefined || (this.#latest !== undefined && isTaskEnded(this.#latest.state)))
      return;
    const data = dataOfStatus[told.state.status];
    // Some servers send the status alone, so a poll gets the rest.
    this.#latest = data === undefined || told.raw[data] !== undefined ? told : undefined;
    this.#isTelling = true;
    this.#run.wake();
  }

  /**
   * True if the server has sent notifications, so that polls only detect lost ones. Its
   * acknowledgement does not count, because some servers acknowledge everything.
   */
  get isTelling(): boolean {
    return this.#isTelling;
  }

  /** Notifications can no longer come. */
  lost(): void {
    this.#isTelling = false;
  }

  take(): DetailedTask | undefined {
    const latest = this.#latest;
    this.#latest = undefined;
    return latest;
  }

  #parse(params: unknown): DetailedTask | undefined {
    try {
      const told = parseDetailed(params);
      return told.state.taskId === this.#run.task.taskId ? told : undefined;
    } catch {
      return undefined;
    }
  }
}
