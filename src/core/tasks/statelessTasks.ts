import { CancellationTokenSource, type Disposable } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import type { ElicitationBroker } from '../input/elicitationBroker';
import { planRound, type AnswerInput } from '../input/inputRounds';
import { boundedJson } from '../json/boundedJson';
import { isObject, type UnknownObject } from '../json/shapes';
import { parseToolResult } from '../parse/parseResults';
import type { ToolResult } from '../types';
import type { TaskWire } from './followTask';
import type { SendForTask } from './statefulTasks';
import type { TaskRun } from './taskRun';
import {
  isTaskEnded,
  invalidTask,
  taskMessage,
  rethrowLost,
  type TaskState,
  parseDetailed,
  type DetailedTask,
} from './taskState';

/** Limits the questions of one task. */
const maxQuestions = 100;
/** Poll interval for tasks that the server reports without being asked, in milliseconds. */
const watchedPollMs = 30_000;

export interface TaskQuestions {
  /** Absent if the user cannot be asked. */
  readonly broker: ElicitationBroker | undefined;
  readonly tool: string;
}

/**
 * Subscribes to a task's notifications until disposed. Returns `undefined` if the server has none.
 */
export type WatchTask = (taskId: string, news: TaskNews) => Disposable | undefined;

/** True if the answer to a `tools/call` is a task. */
export function isTask(result: unknown): result is UnknownObject {
  return isObject(result) && result.resultType === 'task';
}

export function statelessWire(
  send: TaskWire['send'],
  asked: TaskQuestions,
  watch: WatchTask,
): TaskWire {
  return {
    send,
    follow: (run, sendForTask) => followStatelessTask(run, sendForTask, asked, watch),
  };
}

/**
 * Waits for the end of a task and resolves to its result, which is part of its state. Questions of
 * the server are answered by `tasks/update`, each key once; the task may end while one is open.
 * @throws {McpError} taskCancelled | taskLost | cancelled | timeout | serverError | invalidResult |
 * inputNotPossible | tooManyRounds
 *
 * Spec: 2026-07-28 io.modelcontextprotocol/tasks
 */
async function followStatelessTask(
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
  if (task.status === 'completed') return parseToolResult(result);
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

  constructor(run: TaskRun, asked: TaskQuestions, send: (inputResponses: object) => Promise<void>) {
    this.#run = run;
    this.#asked = asked;
    this.#send = send;
  }

  /** @throws {McpError} invalidResult | tooManyRounds */
  take(requests: unknown): void {
    if (!isObject(requests)) throw invalidTask('a task wants input and asks nothing');
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
    if (known !== undefined && known !== json) throw invalidTask('one key for two questions');
    this.#known.set(key, json);
    return known === undefined;
  }

  /** Answered separately, because one may be answered long before another. */
  async #answer(key: string, ask: AnswerInput): Promise<void> {
    const { token } = this.#source;
    const answer = await ask(token);
    if (!token.isCancellationRequested) await this.#send(Object.fromEntries([[key, answer]]));
  }
}

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
    this.#latest = told;
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
