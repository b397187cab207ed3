import type { ConnectionLog } from '../log';
import { boundedJson } from '../json/boundedJson';
import { isObject } from '../json/shapes';

const maxTraceChars = 64 * 1024;

/**
 * A message for the trace, at most 65,536 characters of it, without what is between the server and
 * the person, or nobody's business at all: the state of a call in rounds, ids of tasks, and what a
 * person answered.
 */
export function traceText(message: unknown): string {
  return boundedJson(message, maxTraceChars, isPrivate);
}

function isPrivate(key: string, holder: unknown): boolean {
  // Whoever has the id of a task can read and cancel it.
  if (key === 'requestState' || key === 'taskId' || key === 'taskIds') return true;
  // The form of the answer to a question, wherever it stands.
  return key === 'content' && isObject(holder) && holder.action === 'accept';
}

/** Shows a message to whoever follows or records the connection; costs nothing where nobody does. */
export function showMessage(
  log: ConnectionLog,
  direction: 'sent' | 'received',
  message: unknown,
): void {
  if (log.isTracing()) log.trace(direction, traceText(message));
  log.exchanged?.(direction, message);
}
