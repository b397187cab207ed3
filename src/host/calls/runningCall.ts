import type { QuestionAnswers } from '../../core/callFiles/questionAnswers';
import type { McpError } from '../../core/errors';
import type { CallDeadline } from '../../core/rpc/callDeadline';
import type { TaskState } from '../../core/tasks/taskState';
import type { Progress } from '../../core/types';
import type { ServerConfig } from '../configuration/serverConfig';
import type { ToolEntry } from '../connections/snapshot';
import type { Decision } from '../consent/consent';
import type { CallOrigin } from '../consent/facts/callFacts';
import type { CallOutcome } from './call';

/**
 * The phase of a call. `asking`: being decided, possibly by the user. `waiting`: queued because too
 * many calls of its server run. `running`: sent. `cancelling`: cancelled and about to end.
 */
export type CallPhase = 'asking' | 'waiting' | 'running' | 'cancelling';

/** The facts about a call that are known from its beginning. */
interface CallIdentity {
  readonly id: string;
  /** Id of the server. The next field is the name of the tool. Neither need exist. */
  readonly server: string;
  readonly tool: string;
  /** Set if it reads a prompt, which `tool` names. */
  readonly isPrompt?: true;
  readonly origin: CallOrigin;
  /** The name that the agent claims. */
  readonly client?: string;
  /** Set once they were found. */
  readonly config: ServerConfig | undefined;
  readonly entry: ToolEntry | undefined;
  /** The decision, once it was made. */
  readonly decision: Decision | undefined;
  /** When the call was requested, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Time at which it was sent; undefined if it was not sent. */
  readonly sentAt: number | undefined;
}

export interface RunningCall extends CallIdentity {
  readonly phase: CallPhase;
  /** The last progress that the server reported. */
  readonly progress: Progress | undefined;
  /** State of the call's task; undefined if there is none. */
  readonly task: TaskState | undefined;
  /**
   * True if the task outlives the window; undefined if there is no task, or if that is not known
   * yet.
   */
  readonly isTaskKept: boolean | undefined;
  /**
   * When the server may delete the task, in milliseconds since the epoch; undefined for no limit.
   */
  readonly taskKeptUntil: number | undefined;
  /**
   * `here`: this window follows it. `elsewhere`: another window does. `left`: no window does,
   * because its server does not run.
   */
  readonly taskPlace: TaskPlace;
  /** Questions of the server during its task that the user has not answered. */
  readonly questions: readonly WaitingQuestion[];
  /** True if the user hid its row. */
  readonly isHidden: boolean;
  /** Its answers for questions of the server. */
  readonly answers?: QuestionAnswers;
  /** Its time limit, once it was sent. */
  readonly deadline: Pick<CallDeadline, 'timeoutMs' | 'remainingMs'> | undefined;
}

export interface EndedCall extends CallIdentity {
  readonly outcome: CallOutcome['kind'];
  /** True if its answer violates the tool's `outputSchema`. */
  readonly breaksSchema: boolean;
  /** True if it ran as a task, however it ended. */
  readonly wasTask: boolean;
  /** True if its row was hidden to the end. */
  readonly wasHidden: boolean;
  /** True if its task was resumed. */
  readonly isResumed: boolean;
  /** Why it failed. */
  readonly error?: McpError;
  readonly endedAt: number;
  readonly durationMs: number;
  /**
   * True if it was given up and its local server, which still runs, has not answered since, so that
   * it may still be working. A server that obeys the cancellation does not answer either.
   */
  readonly isUnanswered: boolean;
}

/** A question of a task that the user may answer later. */
export interface WaitingQuestion {
  /** Shows the question, unless it is open. */
  readonly open: () => void;
}

export type TaskPlace = 'here' | 'elsewhere' | 'left';

/** Returns true if a call of an agent waits for the user's answer. */
export function isAgentWaiting({ origin, phase, decision }: RunningCall): boolean {
  return origin === 'agent' && phase === 'asking' && decision?.effect === 'ask';
}
