import { boundedJson } from '../json/boundedJson';
import { isObject, type UnknownObject } from '../json/shapes';
import { invalidTask, parseTask, type TaskState } from './taskState';

/** A task of 2026-07-28 with the data beside its state: questions or the outcome. */
export interface DetailedTask {
  readonly state: TaskState;
  readonly raw: UnknownObject;
}

/** @throws {McpError} invalidResult */
export function parseDetailed(value: unknown): DetailedTask {
  if (!isObject(value)) throw invalidTask(`a task is no object: ${boundedJson(value, 100)}`);
  return { state: parseTask(value, 'stateless'), raw: value };
}
