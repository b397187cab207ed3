import { isMcpError, McpError } from '../../core/errors';
import { riskOfTool } from '../../core/risk';
import type { TaskHandle } from '../../core/tasks/taskHandle';
import type { Server, ToolEntry } from '../connections/snapshot';
import type { CallRequest } from '../calls/call';
import type { OngoingCall } from '../calls/ongoingCall';
import type { ServerConfig } from '../configuration/serverConfig';
import { serverFingerprint } from '../consent/facts/fingerprints';
import type { KeptArguments } from '../history/keptArguments';
import { keptUntil, type KeptTask } from './keptTask';

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

export interface TaskToKeep {
  readonly call: OngoingCall;
  readonly config: ServerConfig;
  readonly handle: TaskHandle;
  /** Names the account in use; empty: none. */
  readonly account: string;
  /** What the call was made with, as far as it may be written down. */
  readonly given: KeptArguments | undefined;
}

export function toKeptTask({ call, config, handle, account, given }: TaskToKeep): KeptTask {
  const { id: callId, server, origin, client, startedAt, sentAt } = call;
  const { value, secrets = [] } = given ?? {};
  return {
    callId,
    server,
    configuration: serverFingerprint(config),
    account,
    origin,
    ...(client === undefined ? {} : { client }),
    startedAt,
    sentAt: sentAt ?? startedAt,
    handle,
    ...(value === undefined ? {} : { arguments: value }),
    ...(secrets.length === 0 ? {} : { secrets }),
  };
}

/** Whether the server answers with nothing but failures, and promised to keep the task until before now. */
export function isGivenUp(error: unknown, handle: TaskHandle): boolean {
  return isMcpError(error, 'httpError') && (keptUntil(handle) ?? Infinity) < Date.now();
}

/** What became of a task that is gone is unknown, unless its server says so. */
export function withUnknownOutcome(error: McpError): McpError {
  const isKnown = ['cancelled', 'serverError'].includes(error.code);
  return isKnown ? error : new McpError(error.code, { ...error.facts, outcomeUnknown: true });
}
