import assert from 'node:assert/strict';
import { statefulRevisions } from '../../src/core/types';
import { resultFor, sendJson, stateful } from '../servers/httpServer';
import type { Handler } from '../servers/httpServer';
import { outcome } from './wire';
import { useHttpClients, sendError } from './reached';

const { served, connected } = useHttpClients();

const offered: unknown[] = [];
const isNewer = (asked: unknown, known: string) => String(asked) > known;

/** Knows no other revision than `known`, and says of others only that in its own words. */
function only(known: string, refuse: Handler): () => Handler {
  return () => {
    offered.length = 0;
    const plain = stateful();
    return (request, response) => {
      const { method, params } = request.message;
      if (method !== 'initialize') plain(request, response);
      else {
        offered.push(params?.['protocolVersion']);
        if (isNewer(params?.['protocolVersion'], known)) refuse(request, response);
        else {
          const result = { protocolVersion: known, capabilities: { tools: {} } };
          sendJson(response, resultFor(request, result));
        }
      }
    };
  };
}

const inWords =
  (status: number, code: number, words: string): Handler =>
  (request, response) =>
    sendError(request, response, status, code, words);
const usual = inWords(200, -32602, 'Unsupported protocol version');

describe('A server that refuses a revision without naming another', () => {
  for (const [what, refuse] of [
    ['as invalid parameters', usual],
    ['with HTTP status 400', inWords(400, -32600, 'Bad Request: protocolVersion not supported')],
    ['without naming the protocol', inWords(200, -32600, 'Unsupported version: 2025-11-25')],
    ['as an internal error', inWords(200, -32603, 'Protocol version mismatch')],
    [
      'as text',
      (_request, response) =>
        response.writeHead(400).end('Unknown MCP protocol version 2025-11-25'),
    ],
  ] as const satisfies readonly (readonly [string, Handler])[]) {
    it(`is offered older ones in turn, once each: ${what}`, async () => {
      const { client } = await connected(only('2025-03-26', refuse)(), { era: 'stateful' });
      assert.equal(client.revision, '2025-03-26');
      assert.deepEqual(offered, statefulRevisions.slice(0, 3));
    });
  }

  it('is quoted if it refuses all of them', async () => {
    const { connect } = await served(only('2024-01-01', usual)(), { era: 'stateful' });
    assert.match(String(await outcome(connect())), /^handshakeFailed.*Unsupported protocol/);
    assert.deepEqual(offered, statefulRevisions);
  });

  it('is not asked again if its error is about something else', async () => {
    const { connect } = await served(
      only('2024-11-05', inWords(200, -32602, 'clientInfo has no version'))(),
      { era: 'stateful' },
    );
    assert.match(String(await outcome(connect())), /^handshakeFailed/);
    assert.equal(offered.length, 1);
  });

  it('is offered the one that its entry names, and nothing before', async () => {
    const { server, client } = await connected(only('2025-03-26', usual)(), { era: '2025-03-26' });
    assert.equal(client.revision, '2025-03-26');
    assert.deepEqual(offered, ['2025-03-26']);
    assert.equal(server.log.includes('POST server/discover'), false);
  });
});
