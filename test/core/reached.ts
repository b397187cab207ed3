import type { ServerResponse } from 'node:http';
import type { McpClient } from '../../src/core/client';
import { connectHttp } from '../../src/core/http/connectHttp';
import type { ConnectHttpOptions } from '../../src/core/http/connectHttp';
import type { KnownEra } from '../../src/core/eras/eraDetection';
import { HttpServer, resultFor, sendJson } from '../servers/httpServer';
import type { Handler, Received } from '../servers/httpServer';
import { clientInfo } from './connections';
import { RecordingLog } from './wire';

export const discovered = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, resources: {} },
  serverInfo: { name: 'fixture', version: '1' },
};

export type Answers = Readonly<
  Record<string, (request: Received, response: ServerResponse) => void>
>;

/** A server of the stateless era; `answers` by method make it special. */
export function stateless(answers: Answers = {}): Handler {
  return (request, response) => {
    const { method = '' } = request.message;
    const answer = answers[method];
    if (answer !== undefined) answer(request, response);
    else if (method === 'server/discover') sendJson(response, resultFor(request, discovered));
    else sendError(request, response, 404, -32601, 'Method not found');
  };
}

export function sendError(
  { message }: Received,
  response: ServerResponse,
  status: number,
  code: number,
  text: string,
  data?: unknown,
): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(
    JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code, message: text, data } }),
  );
}

export interface Reached {
  readonly client: McpClient;
  readonly learned: KnownEra[];
  readonly log: RecordingLog;
}

/** Starts a server, connects, and leaves nothing of either. */
async function reaching(
  handler: Handler,
  options: Partial<ConnectHttpOptions>,
  act: (server: HttpServer, connect: () => Promise<Reached>) => Promise<void>,
): Promise<void> {
  const server = await HttpServer.start(handler);
  const clients: McpClient[] = [];
  const connect = async (): Promise<Reached> => {
    const learned: KnownEra[] = [];
    const log = new RecordingLog();
    const onDidLearnEra = (era: KnownEra) => learned.push(era);
    const client = await connectHttp({
      url: server.url,
      clientInfo,
      log,
      onDidLearnEra,
      ...options,
    });
    clients.push(client);
    return { client, learned, log };
  };
  try {
    await act(server, connect);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await server.stop();
  }
}

export const reached = (
  what: string,
  handler: () => Handler,
  act: (server: HttpServer, connect: () => Promise<Reached>) => Promise<void>,
  options: Partial<ConnectHttpOptions> = {},
) => it(what, () => reaching(handler(), options, act));
