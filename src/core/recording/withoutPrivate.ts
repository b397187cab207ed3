import { createHash } from 'node:crypto';
import { isObject, type UnknownObject } from '../json/shapes';

/** Replaces values that were removed from a recording. */
export const leftOut = '(left out)';

const relatedTaskKey = 'io.modelcontextprotocol/related-task';

/**
 * Removes what is private between server and user, and not needed for a replay: the state of calls
 * with several rounds, and the user's answers to questions. Task ids, which would allow
 * anybody to read and cancel the task, are replaced everywhere. Shares everything else.
 */
export function withoutPrivate(message: object, to: 'server' | 'client'): object {
  if (!isObject(message)) return message;
  const { params, result } = message;
  return {
    ...message,
    ...(isObject(params) ? { params: withoutTaskIds(withoutRounds(params)) } : {}),
    ...(isObject(result)
      ? { result: withoutTaskIds(to === 'server' ? withoutContent(result) : withoutState(result)) }
      : {}),
  };
}

function withoutRounds(params: UnknownObject): UnknownObject {
  const { inputResponses } = params;
  if (!isObject(inputResponses)) return withoutState(params);
  const answers = Object.entries(inputResponses).map(([key, answer]: [string, unknown]) => [
    key,
    isObject(answer) ? withoutContent(answer) : answer,
  ]);
  return { ...withoutState(params), inputResponses: Object.fromEntries(answers) };
}

function withoutState(holder: UnknownObject): UnknownObject {
  return 'requestState' in holder ? { ...holder, requestState: leftOut } : holder;
}

/** Removes the content of an answer to a question. */
function withoutContent(answer: UnknownObject): UnknownObject {
  return answer['action'] === 'accept' && 'content' in answer
    ? { ...answer, content: leftOut }
    : answer;
}

/**
 * Replaces task ids wherever either protocol has them, which does not include arguments and answers
 * of tools.
 */
function withoutTaskIds(holder: UnknownObject): UnknownObject {
  const { taskId, task, tasks, notifications, _meta: meta } = holder;
  return {
    ...holder,
    ...(typeof taskId === 'string' ? { taskId: otherId(taskId) } : {}),
    ...(isObject(task) ? { task: withoutTaskIds(task) } : {}),
    ...(Array.isArray(tasks) ? { tasks: tasks.map(withOtherId) } : {}),
    ...(isObject(notifications) && Array.isArray(notifications.taskIds)
      ? { notifications: { ...notifications, taskIds: notifications.taskIds.map(otherId) } }
      : {}),
    ...(isObject(meta) && isObject(meta[relatedTaskKey])
      ? { _meta: { ...meta, [relatedTaskKey]: withOtherId(meta[relatedTaskKey]) } }
      : {}),
  };
}

function withOtherId(task: unknown): unknown {
  return isObject(task) && 'taskId' in task ? { ...task, taskId: otherId(task.taskId) } : task;
}

/** Equal ids get equal replacements in every recording, so that a replay can tell tasks apart. */
function otherId(taskId: unknown): string {
  return `task-${createHash('sha256').update(String(taskId)).digest('hex').slice(0, 16)}`;
}
