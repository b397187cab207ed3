import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { QuestionAnswers } from '../../core/callFiles/questionAnswers';
import type { McpError } from '../../core/errors';
import type { CallDeadline } from '../../core/rpc/callDeadline';
import type { TaskState } from '../../core/tasks/taskState';
import type { Progress } from '../../core/types';
import { breaksSchema, type CallOutcome, type CallRequest } from './call';
import type { CallOrigin } from '../consent/facts/callOrigin';
import type { ServerConfig } from '../configuration/serverConfig';
import type { Decision } from '../consent/decision';
import type { ToolEntry } from '../connections/snapshot';

/**
 * How far a call is: the person is asked, or it is decided without them; it waits until fewer calls
 * of its server run; it was sent; it was cancelled and is about to end.
 */
export type CallPhase = 'asking' | 'waiting' | 'running' | 'cancelling';

/** What is known of a call from its beginning on. */
interface CallIdentity {
  readonly id: string;
  /** Id of the server, and name of the tool; neither is known to exist. */
  readonly server: string;
  readonly tool: string;
  readonly origin: CallOrigin;
  /** What an agent calls itself: its claim. */
  readonly client?: string;
  /** Once they were found. */
  readonly config: ServerConfig | undefined;
  readonly entry: ToolEntry | undefined;
  /** Why it was asked about, allowed or denied; once that was decided. */
  readonly decision: Decision | undefined;
  /** When the wish to call came, in milliseconds since 1970. */
  readonly startedAt: number;
  /** When it was sent; absent when it was not. */
  readonly sentAt: number | undefined;
}

export interface RunningCall extends CallIdentity {
  readonly phase: CallPhase;
  /** What the server said last. */
  readonly progress: Progress | undefined;
  /** What the server says of the task that it made of the call; absent: it made none. */
  readonly task: TaskState | undefined;
  /** Whether the task outlives the window; absent: it is no task, or that is not known yet. */
  readonly isTaskKept: boolean | undefined;
  /** Until when the server keeps the task, in milliseconds since 1970; absent: without limit. */
  readonly taskKeptUntil: number | undefined;
  /**
   * `here`: this window hears of it. `elsewhere`: another window does. `left`: none does, because its
   * server does not run.
   */
  readonly taskPlace: TaskPlace;
  /** What it brings along for questions of its server. */
  readonly answers?: QuestionAnswers;
  /** Its time limit, once it was sent. */
  readonly deadline: Pick<CallDeadline, 'timeoutMs' | 'remainingMs'> | undefined;
}

export interface EndedCall extends CallIdentity {
  readonly outcome: CallOutcome['kind'];
  /** Its answer is not what the `outputSchema` of the tool promises. */
  readonly breaksSchema: boolean;
  /** It ran as a task, however it ended. */
  readonly wasTask: boolean;
  /** Its task was taken up again. */
  readonly isResumed: boolean;
  /** Why it failed. */
  readonly error?: McpError;
  readonly endedAt: number;
  readonly durationMs: number;
  /**
   * It was given up, and its server, a process of ours that still runs, has not answered since: it
   * may go on working on it. A server that obeys does not answer either, so nobody knows.
   */
  readonly isUnanswered: boolean;
}

export type TaskPlace = 'here' | 'elsewhere' | 'left';

/** Whether an agent's question about this call waits for the person. */
export function isAgentWaiting({ origin, phase, decision }: RunningCall): boolean {
  return origin === 'agent' && phase === 'asking' && decision?.effect === 'ask';
}

/** For so long after it was given up a call may keep its server busy, as far as we care. */
const unansweredMs = 5 * 60_000;

/** One call on its way through the gate, which alone moves it on. */
export class OngoingCall implements RunningCall {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly origin: CallOrigin;
  readonly client?: string;
  readonly answers?: QuestionAnswers;
  readonly startedAt: number;
  readonly #onDidChange: () => void;
  readonly #source = new CancellationTokenSource();
  readonly #outer: { dispose(): void };
  #phase: CallPhase = 'asking';
  #config: ServerConfig | undefined;
  #entry: ToolEntry | undefined;
  #decision: Decision | undefined;
  #progress: Progress | undefined;
  #task: TaskState | undefined;
  #isTaskKept: boolean | undefined;
  #taskKeptUntil: number | undefined;
  #taskPlace: TaskPlace = 'here';
  #deadline: CallDeadline | undefined;
  #sentAt: number | undefined;
  #isConnected: () => boolean = () => false;
  #hasAnswered = false;

  /** `startedAt` is that of a call that is taken up again. Default: now. */
  constructor(
    id: string,
    request: CallRequest,
    outer: CancellationToken,
    onDidChange: () => void,
    startedAt = Date.now(),
  ) {
    this.id = id;
    this.startedAt = startedAt;
    this.server = request.server;
    this.tool = request.tool;
    this.origin = request.origin;
    if (request.client !== undefined) this.client = request.client;
    if (request.answers !== undefined) this.answers = request.answers;
    this.#onDidChange = onDidChange;
    this.#outer = outer.onCancellationRequested(() => this.cancel());
    if (outer.isCancellationRequested) this.cancel();
  }

  /** Whoever began the call, or anybody who sees it, does not want it any more. */
  get token(): CancellationToken {
    return this.#source.token;
  }

  get phase(): CallPhase {
    return this.#phase;
  }

  get config(): ServerConfig | undefined {
    return this.#config;
  }

  get entry(): ToolEntry | undefined {
    return this.#entry;
  }

  get decision(): Decision | undefined {
    return this.#decision;
  }

  get progress(): Progress | undefined {
    return this.#progress;
  }

  get task(): TaskState | undefined {
    return this.#task;
  }

  get isTaskKept(): boolean | undefined {
    return this.#isTaskKept;
  }

  get taskKeptUntil(): number | undefined {
    return this.#taskKeptUntil;
  }

  get taskPlace(): TaskPlace {
    return this.#taskPlace;
  }

  get deadline(): CallDeadline | undefined {
    return this.#deadline;
  }

  get sentAt(): number | undefined {
    return this.#sentAt;
  }

  found(config: ServerConfig, entry: ToolEntry, decision?: Decision): void {
    this.#config = config;
    this.#entry = entry;
    this.#decision = decision;
    this.#onDidChange();
  }

  enter(phase: 'asking' | 'waiting'): void {
    if (this.#phase === 'cancelling' || this.#phase === phase) return;
    this.#phase = phase;
    this.#onDidChange();
  }

  /** `isConnected` tells, at any time, whether the run of the server is still the same. */
  sending(deadline: CallDeadline, isConnected: () => boolean): void {
    this.#phase = 'running';
    this.#sentAt = Date.now();
    this.#deadline = deadline;
    this.#isConnected = isConnected;
    this.#onDidChange();
  }

  progressed(progress: Progress): void {
    this.#progress = progress;
    this.#onDidChange();
  }

  runsAsTask(task: TaskState): void {
    this.#task = task;
    const { statusMessage: message } = task;
    // Servers rarely report progress of tasks; most say in the state where they are.
    if (message !== undefined) this.#progress = { progress: 0, ...this.#progress, message };
    this.#onDidChange();
  }

  /** `keptUntil` is in milliseconds since 1970; absent: without limit. */
  taskKept(isKept: boolean, keptUntil: number | undefined): void {
    this.#isTaskKept = isKept;
    this.#taskKeptUntil = keptUntil;
    this.#onDidChange();
  }

  /** A task that was created before: who hears of it now, and when its call was sent. */
  goesOn(place: TaskPlace, sentAt: number, isConnected: () => boolean): void {
    if (this.#phase === 'asking') this.#phase = 'running';
    this.#taskPlace = place;
    this.#sentAt = sentAt;
    this.#isConnected = isConnected;
    this.#onDidChange();
  }

  answeredLate(): void {
    this.#hasAnswered = true;
    this.#onDidChange();
  }

  cancel(): void {
    if (this.#phase === 'cancelling') return;
    this.#phase = 'cancelling';
    this.#onDidChange();
    this.#source.cancel();
  }

  end(outcome: CallOutcome): EndedCall {
    this.#outer.dispose();
    const { id, server, tool, origin, client, config, entry, decision, startedAt, sentAt } = this;
    const endedAt = Date.now();
    const wasGivenUp =
      outcome.kind === 'cancelled' ||
      (outcome.kind === 'failed' && outcome.error.code === 'timeout');
    const mayGoOn = wasGivenUp && sentAt !== undefined && config?.reach.kind === 'stdio';
    const isUnanswered = () =>
      mayGoOn && !this.#hasAnswered && Date.now() - endedAt < unansweredMs && this.#isConnected();
    return {
      id,
      server,
      tool,
      origin,
      ...(client === undefined ? {} : { client }),
      startedAt,
      config,
      entry,
      decision,
      sentAt,
      ...(outcome.kind === 'failed' ? { error: outcome.error } : {}),
      outcome: outcome.kind,
      wasTask: this.#task !== undefined,
      isResumed: outcome.isResumed === true,
      breaksSchema: 'result' in outcome && breaksSchema(outcome),
      endedAt,
      durationMs: outcome.durationMs,
      get isUnanswered() {
        return isUnanswered();
      },
    };
  }
}
