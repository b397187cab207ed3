import type { TaskHandle } from '../../core/tasks/taskState';
import type { CallOutcome } from './call';
import type { OngoingCall } from './ongoingCall';

/** Where the gate has the tasks of its calls kept, so that they outlive the connection and the window. */
export interface TaskKeeping {
  /** Resolves when the handle is kept, or cannot be, which the call then says. Never rejects. */
  keep(call: OngoingCall, handle: TaskHandle): Promise<void>;
  /** A call of which a task was kept has ended here; with `taskLeft` its task goes on. Never rejects. */
  ended(callId: string, outcome: CallOutcome): Promise<void>;
}
