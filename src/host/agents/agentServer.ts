import type { Duplex } from 'node:stream';
import { Server, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { CancellationTokenSource, type CancellationToken } from 'vscode-jsonrpc/node';
import { isObject } from '../../core/json/shapes';
import type { Progress } from '../../core/types';
import type { AgentCalls, AgentToolCall } from './agentCall';
import { type AgentTasks, AgentTaskTransport, declaresTasks, taskOwner } from './agentTasks';
import { clientNameOf, clientDisplayName } from './agentProtocol';
import { tasksExtension } from '../../core/parse/parseResults';
import type { AgentBudget } from './agentLimits';
import type { ToolListTexts } from './agentTools';
import { AgentTransport, type AgentTransportLimits, RequestPlaces } from './agentTransport';

export interface AgentConnectionOptions {
  readonly calls: AgentCalls;
  readonly tasks: AgentTasks;
  /** The path that the agent is connected to; see `serverPath`. */
  readonly path: string;
  /** Version of the extension. */
  readonly version: string;
  readonly limits: AgentTransportLimits;
  readonly budget: AgentBudget;
  readonly lists: ToolListTexts;
  /** Called with errors in the agent's messages, for the log. */
  readonly onError: (error: Error) => void;
}

/** A connected agent. */
export interface AgentConnection {
  /** Announces that the tools may have changed. */
  announce(): void;
  close(): Promise<void>;
}

/**
 * Serves one agent of any revision over a stream of lines. The server side of the protocol is the
 * official SDK, which is loaded with this file.
 */
export function serveAgent(stream: Duplex, options: AgentConnectionOptions): AgentConnection {
  const servers = new Set<Server>();
  const places = new RequestPlaces(options.limits.maxRequests);
  const { limits, budget, lists, tasks, path } = options;
  const lines = new AgentTransport(stream, limits, budget, lists);
  const transport = new AgentTaskTransport(lines, tasks, path);
  const handle = serveStdio(
    ({ era }) => {
      // Earlier revisions do not define tasks as an extension.
      const own = era === 'modern' ? { tasks, path } : {};
      const { calls, version } = options;
      const server = newAgentServer({ calls, version, lists, places, ...own });
      servers.add(server);
      return server;
    },
    { transport, onerror: options.onError },
  );
  return {
    announce: () => {
      for (const server of servers) server.sendToolListChanged().catch(() => undefined);
    },
    close: () => handle.close(),
  };
}

export interface AgentServerOptions {
  readonly calls: AgentCalls;
  readonly version: string;
  readonly places: RequestPlaces;
  /** Sends lists as bytes, if the transport can replace its placeholders. */
  readonly lists?: ToolListTexts;
  /** Holds the tasks of agents. Absent: calls do not run as tasks. */
  readonly tasks?: AgentTasks;
  readonly path?: string;
}

/** Makes the server side of the protocol for one connection, or for one request over HTTP. */
export function newAgentServer(options: AgentServerOptions): Server {
  const { calls, version, places, lists, tasks } = options;
  const extensions = tasks === undefined ? {} : { extensions: { [tasksExtension]: {} } };
  const server = new Server(
    { name: 'toolgate', title: 'Toolgate', version },
    {
      capabilities: { tools: { listChanged: true }, ...extensions },
      instructions:
        'A person decides about calls of these tools and may take a while, or say no. Do not repeat a call that was refused.',
    },
  );
  server.setRequestHandler('tools/list', async () => {
    const tools = await places.hold(() => calls.list());
    if (lists === undefined) return { tools: tools.map(({ definition }) => definition) };
    return { tools: [await lists.markOf(tools)] };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const reports = new Reports(context);
    const request = {
      name: params.name,
      ...(params.arguments === undefined ? {} : { arguments: params.arguments }),
      client: clientOf(server, context),
      report: (progress: Progress) => reports.send(progress),
    };
    const answer = await places.hold(() =>
      cancellable(context, (token) => callOrTask(options, context, request, token)),
    );
    // Tasks have no progress.
    if ('task' in answer) reports.end();
    // Progress has to leave before the answer.
    await reports.sent;
    // The SDK lacks this result type; the transport removes `content`, which satisfies it.
    if ('task' in answer) return { ...answer.task, resultType: 'task', content: [] };
    const { content, ...rest } = answer;
    return server.projectCallToolResult({ ...rest, content: [...content] }, undefined);
  });
  return server;
}

/** Returns the answer, or a task handle if the agent supports tasks and the server creates one. */
function callOrTask(
  { calls, tasks, path = '' }: AgentServerOptions,
  { mcpReq }: ServerContext,
  request: AgentToolCall,
  token: CancellationToken,
): ReturnType<AgentTasks['begin']> {
  if (tasks === undefined || !declaresTasks(mcpReq.envelope)) return calls.call(request, token);
  const owner = taskOwner(path, request.client);
  return tasks.begin(owner, token, (own, onTask) => calls.call({ ...request, onTask }, own));
}

/** The name that the agent gives itself; it may claim any name. */
function clientOf(server: Server, { mcpReq }: ServerContext): string {
  const envelope: unknown = mcpReq.envelope;
  return isObject(envelope) ? clientNameOf(envelope) : clientDisplayName(server.getClientVersion());
}

/**
 * Sends the progress of one request in order; does nothing if the agent did not ask for progress.
 */
class Reports {
  readonly #request: ServerContext['mcpReq'];
  #isOver = false;
  sent: Promise<unknown> = Promise.resolve();

  constructor({ mcpReq }: ServerContext) {
    this.#request = mcpReq;
  }

  send(progress: Progress): void {
    const { _meta: meta, signal, notify } = this.#request;
    const progressToken = meta?.progressToken;
    if (progressToken === undefined || signal.aborted || this.#isOver) return;
    const params = { progressToken, ...progress };
    this.sent = this.sent
      .then(() => notify({ method: 'notifications/progress', params }))
      .catch(() => undefined);
  }

  end(): void {
    this.#isOver = true;
  }
}

/** Runs work whose token is cancelled when the agent cancels or disconnects. */
async function cancellable<T>(
  { mcpReq: { signal } }: ServerContext,
  work: (token: CancellationTokenSource['token']) => Promise<T>,
): Promise<T> {
  const source = new CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  try {
    return await work(source.token);
  } finally {
    signal.removeEventListener('abort', cancel);
    source.dispose();
  }
}
