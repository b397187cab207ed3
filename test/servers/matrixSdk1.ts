import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  isInitializeRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type {
  JSONRPCMessage,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { StatefulRevision } from '../../src/core/types';
import type { Offer, Surroundings, Tell } from './matrixTools';
import {
  callTool,
  capabilities,
  question,
  resourceContents,
  serverInfo,
  text,
} from './matrixTools';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** A server of the matrix, built with the official SDK 1.x. */
export function makeServer1(offer: Offer, notify: Tell): Server {
  const tasks = { cancel: {}, list: {}, requests: { tools: { call: {} } } };
  const server = new Server(serverInfo, {
    capabilities: { ...capabilities, tasks },
    taskStore: new InMemoryTaskStore(),
  });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => offer.page(params?.cursor));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => resourceContents(params.uri));
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    notify(`level ${params.level}`);
    return {};
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: args } = params;
    const { taskStore } = extra;
    if (params.task !== undefined && taskStore !== undefined) {
      // The store changes what it gave.
      const task = { ...(await taskStore.createTask({ ttl: 60_000, pollInterval: 500 })) };
      const result = await callTool(name, args, surroundings(server, offer, extra, notify));
      await taskStore.storeTaskResult(task.taskId, 'completed', result);
      return { task };
    }
    if (name === 'ask') return text(JSON.stringify(await server.elicitInput(question)));
    if (name === 'roots') return text(JSON.stringify(await server.listRoots()));
    return callTool(name, args, surroundings(server, offer, extra, notify));
  });
  return server;
}

function surroundings(server: Server, offer: Offer, extra: Extra, notify: Tell): Surroundings {
  const { signal, _meta: meta } = extra;
  return {
    signal,
    notify,
    report: async (progress, total) => {
      const progressToken = meta?.progressToken;
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total };
      await extra.sendNotification({ method: 'notifications/progress', params });
    },
    log: (data) => {
      const params = { level: 'warning' as const, logger: 'matrix', data };
      return extra.sendNotification({ method: 'notifications/message', params });
    },
    changed: () => {
      offer.extend();
      return server.sendToolListChanged();
    },
  };
}

/**
 * Connects a server that speaks `revision` and no other. The SDK has no option for it: it accepts
 * whatever it is offered of the revisions that it knows. So the offer is changed on its way in, and
 * everything that the server answers is its own.
 */
export async function connectPinned(
  server: Server,
  transport: Transport,
  revision: StatefulRevision,
): Promise<void> {
  await server.connect(transport);
  const receive = transport.onmessage;
  const receivePinned: typeof receive = (message, extra) =>
    receive?.(pinned(message, revision), extra);
  Object.assign(transport, { onmessage: receivePinned });
}

function pinned<T extends JSONRPCMessage>(message: T, revision: StatefulRevision): T {
  if (!isInitializeRequest(message)) return message;
  return { ...message, params: { ...message.params, protocolVersion: revision } };
}
