import { createHash } from 'node:crypto';
import { isObject, type UnknownObject } from '../json/shapes';

/** What stands in a recording for what was left out of it. */
export const leftOut = '(left out)';

const relatedTaskKey = 'io.modelcontextprotocol/related-task';

/**
 * The message without what is between the server and the person, or nobody's business at all: the
 * state of a call in rounds, and what a person answered to a question. A replay does without
 * both. The id of a task, with which anybody could read and cancel it, is another one wherever it
 * stands. Shares everything else.
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

/** Of the answer to a question for the person. */
function withoutContent(answer: UnknownObject): UnknownObject {
  return answer['action'] === 'accept' && 'content' in answer
    ? { ...answer, content: leftOut }
    : answer;
}

/** With other ids wherever either wire has one of a task; arguments and answers of tools are no such place. */
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

/** The same for the same id, in every recording, so that a replay knows its tasks apart. */
function otherId(taskId: unknown): string {
  return `task-${createHash('sha256').update(String(taskId)).digest('hex').slice(0, 16)}`;
}
