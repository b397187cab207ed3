import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { QuestionAnswers } from '../../core/callFiles/questionAnswers';
import type { CallDeadline } from '../../core/rpc/callDeadline';
import type { TaskState } from '../../core/tasks/taskState';
import type { McpError } from '../../core/errors';
import type { Progress } from '../../core/types';
import { violatesSchema, type CallOutcome, type CallRequest } from './call';
import type { CallPhase, EndedCall, RunningCall, TaskPlace, WaitingQuestion } from './runningCall';
import type { CallOrigin } from '../consent/facts/callFacts';
import type { ServerConfig } from '../configuration/serverConfig';
import type { Decision } from '../consent/consent';
import type { ToolEntry } from '../connections/snapshot';

/** A call counts as possibly running at its server for this long after it was given up. */
const unansweredMs = 5 * 60_000;

/**
 * A call in progress. Its methods alone set its fields, and announce each change; only the gate
 * changes its phase.
 */
export class OngoingCall implements RunningCall {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly isPrompt?: true;
  readonly origin: CallOrigin;
  readonly client?: string;
  readonly answers?: QuestionAnswers;
  readonly startedAt: number;
  readonly #onDidChange: () => void;
  readonly #source = new CancellationTokenSource();
  readonly #outer: { dispose(): void };
  phase: CallPhase = 'asking';
  config: ServerConfig | undefined;
  entry: ToolEntry | undefined;
  decision: Decision | undefined;
  progress: Progress | undefined;
  task: TaskState | undefined;
  isTaskKept: boolean | undefined;
  taskKeptUntil: number | undefined;
  taskPlace: TaskPlace = 'here';
  questions: readonly WaitingQuestion[] = [];
  isHidden = false;
  deadline: CallDeadline | undefined;
  sentAt: number | undefined;
  /** True if the server has answered, even after the call was given up. */
  hasAnswered = false;
  #isConnected: () => boolean = () => false;

  /** @param startedAt start of a call that is resumed; defaults to now */
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
    if (request.isPrompt !== undefined) this.isPrompt = request.isPrompt;
    if (request.client !== undefined) this.client = request.client;
    if (request.answers !== undefined) this.answers = request.answers;
    this.#onDidChange = onDidChange;
    this.#outer = outer.onCancellationRequested(() => this.cancel());
    if (outer.isCancellationRequested) this.cancel();
  }

  /** Cancelled by the caller, or in any list that shows the call. */
  get token(): CancellationToken {
    return this.#source.token;
  }

  found(config: ServerConfig, entry: ToolEntry, decision?: Decision): void {
    this.config = config;
    this.entry = entry;
    this.decision = decision;
    this.#onDidChange();
  }

  enter(phase: 'asking' | 'waiting'): void {
    if (this.phase === 'cancelling' || this.phase === phase) return;
    this.phase = phase;
    this.#onDidChange();
  }

  /** @param isConnected returns true while the same run of the server exists */
  sending(deadline: CallDeadline, isConnected: () => boolean): void {
    this.phase = 'running';
    this.sentAt = Date.now();
    this.deadline = deadline;
    this.#isConnected = isConnected;
    this.#onDidChange();
  }

  progressed(progress: Progress): void {
    this.progress = progress;
    this.#onDidChange();
  }

  runsAsTask(task: TaskState): void {
    this.task = task;
    const { statusMessage: message } = task;
    // Servers rarely report progress of tasks; most describe it in the state.
    if (message !== undefined) this.progress = { progress: 0, ...this.progress, message };
    this.#onDidChange();
  }

  /** @param keptUntil milliseconds since the epoch; undefined for no limit */
  taskKept(isKept: boolean, keptUntil: number | undefined): void {
    this.isTaskKept = isKept;
    this.taskKeptUntil = keptUntil;
    this.#onDidChange();
  }

  /**
   * Resumes a task that was created before: which window follows it, and when its call was sent.
   */
  goesOn(place: TaskPlace, sentAt: number, isConnected: () => boolean): void {
    if (this.phase === 'asking') this.phase = 'running';
    this.taskPlace = place;
    this.sentAt = sentAt;
    this.#isConnected = isConnected;
    this.#onDidChange();
  }

  /**
   * Adds a question of the server about its task, which shows the row again. Call the result when
   * it is answered.
   */
  asks(question: WaitingQuestion): () => void {
    this.questions = [...this.questions, question];
    this.hide(false);
    return () => {
      this.questions = this.questions.filter((each) => each !== question);
      this.#onDidChange();
    };
  }

  hide(isHidden: boolean): void {
    this.isHidden = isHidden;
    this.#onDidChange();
  }

  answeredLate(): void {
    this.hasAnswered = true;
    this.#onDidChange();
  }

  cancel(): void {
    if (this.phase === 'cancelling') return;
    this.phase = 'cancelling';
    this.#onDidChange();
    this.#source.cancel();
  }

  /** True if the run of the server is still the one that received the call. */
  get isConnected(): boolean {
    return this.#isConnected();
  }

  end(outcome: CallOutcome): EndedCall {
    this.#outer.dispose();
    return new FinishedCall(this, outcome);
  }
}

/**
 * A class, because V8 creates a hidden class for each object literal with a getter and keeps it,
 * with everything that the getter holds, until the next full collection.
 */
class FinishedCall implements EndedCall {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly isPrompt?: true;
  readonly origin: CallOrigin;
  readonly client?: string;
  readonly startedAt: number;
  readonly config: ServerConfig | undefined;
  readonly entry: ToolEntry | undefined;
  readonly decision: Decision | undefined;
  readonly sentAt: number | undefined;
  readonly error?: McpError;
  readonly outcome: CallOutcome['kind'];
  readonly wasTask: boolean;
  readonly wasHidden: boolean;
  readonly isResumed: boolean;
  readonly breaksSchema: boolean;
  readonly endedAt = Date.now();
  readonly durationMs: number;
  /** Undefined if its server has certainly ended it. */
  readonly #mayGoOn: OngoingCall | undefined;

  constructor(call: OngoingCall, outcome: CallOutcome) {
    this.id = call.id;
    this.server = call.server;
    this.tool = call.tool;
    this.origin = call.origin;
    if (call.isPrompt !== undefined) this.isPrompt = call.isPrompt;
    if (call.client !== undefined) this.client = call.client;
    this.startedAt = call.startedAt;
    this.config = call.config;
    this.entry = call.entry;
    this.decision = call.decision;
    this.sentAt = call.sentAt;
    if (outcome.kind === 'failed') this.error = outcome.error;
    this.outcome = outcome.kind;
    this.wasTask = call.task !== undefined;
    this.wasHidden = call.isHidden;
    this.isResumed = outcome.isResumed === true;
    this.breaksSchema = 'result' in outcome && violatesSchema(outcome);
    this.durationMs = outcome.durationMs;
    const wasGivenUp = outcome.kind === 'cancelled' || this.error?.code === 'timeout';
    const mayGoOn =
      wasGivenUp && call.sentAt !== undefined && call.config?.transport.kind === 'stdio';
    this.#mayGoOn = mayGoOn ? call : undefined;
  }

  get isUnanswered(): boolean {
    const call = this.#mayGoOn;
    if (call === undefined || call.hasAnswered) return false;
    return Date.now() - this.endedAt < unansweredMs && call.isConnected;
  }
}
