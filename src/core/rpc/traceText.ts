import type { ConnectionLog } from '../log';
import { boundedJson } from '../json/boundedJson';
import { isObject } from '../json/shapes';

const maxTraceChars = 64 * 1024;

/**
 * Formats a message for the trace, at most 65,536 characters, without private data: the state of a
 * call with several rounds, ids of tasks, and the user's answers.
 */
export function traceText(message: unknown): string {
  return boundedJson(message, maxTraceChars, isPrivate);
}

function isPrivate(key: string, holder: unknown): boolean {
  // A task id allows reading and cancelling the task.
  if (key === 'requestState' || key === 'taskId' || key === 'taskIds') return true;
  // Matches the form of an answer to a question, anywhere in the message.
  return key === 'content' && isObject(holder) && holder.action === 'accept';
}

/** Passes a message to the trace and the recording. Costs nothing if there is neither. */
export function showMessage(
  log: ConnectionLog,
  direction: 'sent' | 'received',
  message: unknown,
): void {
  if (log.isTracing()) log.trace(direction, traceText(message));
  log.exchanged?.(direction, message);
}
