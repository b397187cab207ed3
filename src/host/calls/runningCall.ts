import type { QuestionAnswers } from '../../core/callFiles/questionAnswers';
import type { McpError } from '../../core/errors';
import type { CallDeadline } from '../../core/rpc/callDeadline';
import type { TaskState } from '../../core/tasks/taskState';
import type { Progress } from '../../core/types';
import type { ServerConfig } from '../configuration/serverConfig';
import type { ToolEntry } from '../connections/snapshot';
import type { Decision } from '../consent/decision';
import type { CallOrigin } from '../consent/facts/callOrigin';
import type { CallOutcome } from './call';

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
  /** What the server asks in the middle of its task, and the user has not answered. */
  readonly questions: readonly WaitingQuestion[];
  /** The user does not want to see its row. */
  readonly isHidden: boolean;
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
  /** Its row was hidden to the end. */
  readonly wasHidden: boolean;
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

/** A question of a task that the user may answer later. */
export interface WaitingQuestion {
  /** Puts it on the screen, unless it is there. */
  readonly open: () => void;
}

export type TaskPlace = 'here' | 'elsewhere' | 'left';

/** Whether an agent's question about this call waits for the person. */
export function isAgentWaiting({ origin, phase, decision }: RunningCall): boolean {
  return origin === 'agent' && phase === 'asking' && decision?.effect === 'ask';
}
