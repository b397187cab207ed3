import type { TransportSession } from '../rpc/transport';
import type { EraKind } from '../types';
import type { TaskState } from './taskState';

/** What a client needs to resume a task on a later connection or in another process. */
export interface TaskHandle {
  /** The protocol that created the task; the other one does not know it. */
  readonly wire: EraKind;
  /** Secret, like the session id; see {@link TaskState}. */
  readonly taskId: string;
  /**
   * The `Mcp-Session-Id` that created the task, to which servers of 2025-11-25 bind it. Absent
   * without a session.
   */
  readonly sessionId?: string;
  /**
   * Time of the answer that created the task, in milliseconds since the epoch by the local clock.
   */
  readonly createdAt: number;
  /**
   * How long the server keeps the task after its creation, in milliseconds. Absent without a limit.
   */
  readonly ttlMs?: number;
  /** The tool's name, for questions of the task. */
  readonly tool: string;
}

/** The data that makes the task of a `tools/call` resumable. */
export interface TaskOrigin {
  readonly wire: EraKind;
  readonly tool: string;
  /** The session of the connection, if the transport has sessions. */
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

/** Returns an initial state without any information, so that the first poll comes soon. */
export function stateOf({ taskId, ttlMs }: TaskHandle): TaskState {
  return {
    taskId,
    status: 'working',
    pollMs: 500,
    ...(ttlMs === undefined ? {} : { ttlMs }),
  };
}
