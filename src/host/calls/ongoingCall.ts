import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { QuestionAnswers } from '../../core/callFiles/questionAnswers';
import type { CallDeadline } from '../../core/rpc/callDeadline';
import type { TaskState } from '../../core/tasks/taskState';
import type { McpError } from '../../core/errors';
import type { Progress } from '../../core/types';
import { breaksSchema, type CallOutcome, type CallRequest } from './call';
import type { CallPhase, EndedCall, RunningCall, TaskPlace, WaitingQuestion } from './runningCall';
import type { CallOrigin } from '../consent/facts/callOrigin';
import type { ServerConfig } from '../configuration/serverConfig';
import type { Decision } from '../consent/decision';
import type { ToolEntry } from '../connections/snapshot';

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
  #questions: readonly WaitingQuestion[] = [];
  #isHidden = false;
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

  get questions(): readonly WaitingQuestion[] {
    return this.#questions;
  }

  get isHidden(): boolean {
    return this.#isHidden;
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

  /** The server asks about its task, which brings back the row. Call the result when it is answered. */
  asks(question: WaitingQuestion): () => void {
    this.#questions = [...this.#questions, question];
    this.hide(false);
    return () => {
      this.#questions = this.#questions.filter((each) => each !== question);
      this.#onDidChange();
    };
  }

  hide(isHidden: boolean): void {
    this.#isHidden = isHidden;
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

  /** Whether the server has answered, also after the call was given up. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Whether the run of the server is still the one that the call was sent to. */
  get isConnected(): boolean {
    return this.#isConnected();
  }

  end(outcome: CallOutcome): EndedCall {
    this.#outer.dispose();
    return new FinishedCall(this, outcome);
  }
}

/**
 * A class, because V8 makes a hidden class of its own for each object literal that has a getter, and
 * keeps it, with everything that the getter holds, until the next full collection.
 */
class FinishedCall implements EndedCall {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
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
  /** Absent: its server does not work on it any more. */
  readonly #mayGoOn: OngoingCall | undefined;

  constructor(call: OngoingCall, outcome: CallOutcome) {
    this.id = call.id;
    this.server = call.server;
    this.tool = call.tool;
    this.origin = call.origin;
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
    this.breaksSchema = 'result' in outcome && breaksSchema(outcome);
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
