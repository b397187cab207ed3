import { McpError } from '../../core/errors';
import { riskOfTool } from '../../core/risk';
import type { Server, ToolEntry } from '../connections/snapshot';
import type { CallRequest } from '../calls/call';
import type { KeptTask } from './keptTask';

/** The tool of a task as its server lists it now, or as little as is known of it. */
export function toolEntryOf(
  server: Server | undefined,
  { server: id, handle }: KeptTask,
): ToolEntry {
  const listed = server?.tools.find(({ tool }) => tool.name === handle.tool);
  if (listed !== undefined) return listed;
  const tool = {
    name: handle.tool,
    inputSchema: {},
    annotations: {},
    callable: false,
    problems: [],
  };
  return { serverId: id, tool, risk: riskOfTool(tool) };
}

/** The call, as far as it is known. */
export function requestOf(task: KeptTask): CallRequest {
  const { server, origin, client, arguments: given, secrets } = task;
  return {
    server,
    tool: task.handle.tool,
    origin,
    ...(client === undefined ? {} : { client }),
    ...(given === undefined ? {} : { arguments: given }),
    ...(secrets === undefined ? {} : { secrets }),
  };
}

/** What became of a task that is gone is unknown, unless its server says so. */
export function withUnknownOutcome(error: McpError): McpError {
  const isKnown = ['cancelled', 'serverError'].includes(error.code);
  return isKnown ? error : new McpError(error.code, { ...error.facts, outcomeUnknown: true });
}
