import type { TaskHandle } from '../../core/tasks/taskState';
import type { CallOutcome } from './call';
import type { OngoingCall } from './ongoingCall';

/** Stores the tasks of calls, so that they outlive the connection and the window. */
export interface TaskKeeping {
  /** Resolves when the handle is stored, or cannot be, which the call then shows. Never rejects. */
  keep(call: OngoingCall, handle: TaskHandle): Promise<void>;
  /**
   * A call with a stored task has ended here. With `taskLeft`, its task continues. Never rejects.
   */
  ended(callId: string, outcome: CallOutcome): Promise<void>;
}
