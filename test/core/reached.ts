import type { ServerResponse } from 'node:http';
import type { McpClient } from '../../src/core/client';
import { connectHttp } from '../../src/core/http/connectHttp';
import type { ConnectHttpOptions } from '../../src/core/http/connectHttp';
import type { KnownEra } from '../../src/core/eras/eraDetection';
import { HttpServer, resultFor, sendJson, stateful } from '../servers/httpServer';
import type { Handler, Received } from '../servers/httpServer';
import { clientInfo } from './connections';
import type { Far } from './httpWire';
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

/**
 * `served` starts a server and connects to it as often as wanted, `connected` once. After each test the
 * connections and their servers are closed.
 */
export function useHttpClients() {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });
  const served = async (far: Far = {}, options: Partial<ConnectHttpOptions> = {}) => {
    const server = await HttpServer.start(typeof far === 'function' ? far : stateful(far));
    ends.push(() => server.stop());
    const connect = async (): Promise<Reached> => {
      const learned: KnownEra[] = [];
      const log = new RecordingLog();
      const onDidLearnEra = (era: KnownEra) => learned.push(era);
      const own = { url: server.url, clientInfo, log, onDidLearnEra };
      const client = await connectHttp({ ...own, ...options });
      ends.push(() => client.close());
      return { client, learned, log };
    };
    return { server, connect };
  };
  const connected = async (...given: Parameters<typeof served>) => {
    const { server, connect } = await served(...given);
    return { server, ...(await connect()) };
  };
  return { served, connected };
}
