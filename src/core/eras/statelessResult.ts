import { McpError } from '../errors';
import { boundedJson } from '../json/boundedJson';
import { isObject } from '../json/shapes';
import { parseToolResult } from '../parse/parseResults';
import { isTask } from '../tasks/statelessTasks';
import { parseTask, type TaskState } from '../tasks/taskState';
import type { ToolResult } from '../types';

/**
 * A result that is whole; others are invalid where this stands. `draft` is
 * what the draft of an extension had in its place, and servers of that time still send.
 */
export function complete(result: unknown, draft?: 'task'): unknown {
  if (!isObject(result)) return result;
  const { resultType } = result;
  if (resultType === undefined || resultType === 'complete' || resultType === draft) return result;
  throw new McpError('invalidResult', { detail: `resultType is ${boundedJson(resultType, 100)}` });
}

/** Reads a result that has to be whole. */
export function ofWhole<T>(parse: (result: unknown) => T): (result: unknown) => T {
  return (result) => parse(complete(result));
}

/** What a `tools/call` was answered with. @throws {McpError} invalidResult */
export function parseTaskOrResult(result: unknown): TaskState | ToolResult {
  return isTask(result) ? parseTask(result, 'stateless') : parseToolResult(complete(result));
}
