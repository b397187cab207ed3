import { McpError } from '../errors';
import { boundedJson } from '../json/boundedJson';
import { isObject } from '../json/shapes';
import { parseToolResult } from '../parse/parseResults';
import { isTask } from '../tasks/statelessTasks';
import { parseTask, type TaskState } from '../tasks/taskState';
import type { ToolResult } from '../types';

/**
 * Checks that a result is complete.
 * @param draft The value that the draft of an extension used instead, which some servers still
 * send.
 */
export function checkComplete(result: unknown, draft?: 'task'): unknown {
  if (!isObject(result)) return result;
  const { resultType } = result;
  if (resultType === undefined || resultType === 'complete' || resultType === draft) return result;
  throw new McpError('invalidResult', { detail: `resultType is ${boundedJson(resultType, 100)}` });
}

/** Makes a parser that requires a complete result. */
export function requireComplete<T>(parse: (result: unknown) => T): (result: unknown) => T {
  return (result) => parse(checkComplete(result));
}

/** Parses the answer to `tools/call`. @throws {McpError} invalidResult */
export function parseTaskOrResult(result: unknown): TaskState | ToolResult {
  return isTask(result) ? parseTask(result, 'stateless') : parseToolResult(checkComplete(result));
}
