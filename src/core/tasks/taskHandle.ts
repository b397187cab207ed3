import type { TransportSession } from '../rpc/transport';
import type { EraKind } from '../types';
import type { TaskState } from './taskState';

/** What a client needs to take up a task again, on a later connection or in another process. */
export interface TaskHandle {
  /** The wire on which the task was created; the other one does not know it. */
  readonly wire: EraKind;
  /** A secret, like the id of the session: see {@link TaskState}. */
  readonly taskId: string;
  /**
   * The `Mcp-Session-Id` under which the task was created. Servers of 2025-11-25 bind tasks to it.
   * Absent: there was none.
   */
  readonly sessionId?: string;
  /** When the creation was answered, in milliseconds since 1970 by the clock of this machine. */
  readonly createdAt: number;
  /** How long the server keeps the task, in milliseconds from its creation; absent: without limit. */
  readonly ttlMs?: number;
  /** The name of the tool, for the questions of the task. */
  readonly tool: string;
}

/** What makes the task of an answer to `tools/call` one that can be taken up again. */
export interface TaskOrigin {
  readonly wire: EraKind;
  readonly tool: string;
  /** The session of the connection, if its transport has any. */
  readonly session?: TransportSession;
}

export function toHandle({ taskId, ttlMs }: TaskState, origin: TaskOrigin): TaskHandle {
  const { wire, tool, session } = origin;
  return {
    wire,
    taskId,
    createdAt: Date.now(),
    tool,
    ...(session?.id === undefined ? {} : { sessionId: session.id }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
  };
}

/** The task as nothing is known of it yet: its first poll comes soon. */
export function stateOf({ taskId, ttlMs }: TaskHandle): TaskState {
  return {
    taskId,
    status: 'working',
    pollMs: 500,
    ...(ttlMs === undefined ? {} : { ttlMs }),
  };
}
