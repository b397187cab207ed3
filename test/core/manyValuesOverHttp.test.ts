import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { StartClock } from '../../src/core/eras/startClock';
import { toMcpError } from '../../src/core/errors';
import { HttpSseTransport } from '../../src/core/http/httpSseTransport';
import { RawJson } from '../../src/core/json/rawJson';
import { HttpServer, isGet, sendEvents, type Handler } from '../servers/httpServer';
import { HttpWire, useHttpWires } from './httpWire';
import { RecordingLog } from './wire';

const { opened } = useHttpWires();

const limits = { maxMessageBytes: 64 * 1024 * 1024, maxMessageValues: 200_000 };
const objects = `[${'{},'.repeat(400_000)}0]`;
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const answerOf = (value: string) =>
  `{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"a":${value}}}}`;
const content = `[${Array.from({ length: 100_000 }, (_, id) => `{"id":${id},"tags":["a"]}`).join(',')}]`;
const answer = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":${content}}}`;

/** One event for it, over several lines or not. */
const eventOf = (json: string): string => `data: ${json}\n\n`;
const eventOfLines = (json: string): string =>
  `data: {\ndata: ${json.slice(1).replaceAll('},', '},\ndata: ')}\n\n`;
const eventOfShortLines = (json: string): string =>
  `${json.replaceAll(/.{1,60000}/g, (part) => `data: ${part}\n`)}\n`;

type Send = (response: ServerResponse, json: string) => void;
const ways: Readonly<Record<string, Send>> = {
  'as JSON': (response, json) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(json),
  'as an event': (response, json) => sendEvents(response, eventOf(json)),
  'as an event of many lines': (response, json) => sendEvents(response, eventOfLines(json)),
};

/** What the call of a tool comes to. */
async function called(send: Send, json: string): Promise<unknown> {
  const onCall: Handler = (_request, response) => send(response, json);
  const { wire } = await opened({ session: 's1', onCall }, limits);
  const outcome = await wire.call().catch(factsOf);
  assert.deepEqual(await wire.request('ping'), {});
  return outcome;
}

function factsOf(error: unknown): unknown {
  const { code, facts } = toMcpError(error);
  return [code, facts.measure, facts.limit];
}

describe('Answers of many values over HTTP', () => {
  for (const [how, send] of Object.entries(ways)) {
    it(`are refused, and the connection stays usable: ${how}`, async () => {
      assert.deepEqual(await called(send, answerOf(objects)), [
        'answerTooLarge',
        'values',
        200_000,
      ]);
      assert.deepEqual(await called(send, answerOf(deep)), ['answerTooLarge', 'levels', 1_000]);
    });

    it(`keep structured content as text: ${how}`, async () => {
      const { structuredContent } = Object(await called(send, answer));
      assert.ok(structuredContent instanceof RawJson);
      const text = structuredContent.segments.map((segment) => Buffer.from(segment).toString());
      assert.deepEqual(JSON.parse(text.join('')), JSON.parse(content));
    });
  }

  it('are refused if they have more than 8 MiB in short lines', async () => {
    const long = answerOf(JSON.stringify('x'.repeat(9 * 1024 * 1024)));
    const send: Send = (response, json) => sendEvents(response, eventOfShortLines(json));
    assert.deepEqual(await called(send, long), ['answerTooLarge', 'lines', 8 * 1024 * 1024]);
  });

  it('with an error status are that error', async () => {
    const send: Send = (response, json) => response.writeHead(500).end(json);
    assert.deepEqual(await called(send, `{"error":${deep}}`), ['httpError', undefined, undefined]);
  });

  it('are refused on the stream for the server’s messages, and the waiting request gets the reason', async () => {
    for (const [value, ...expected] of [
      [objects, 'answerTooLarge', 'values', 200_000],
      [deep, 'answerTooLarge', 'levels', 1_000],
    ] as const) {
      let listening: ServerResponse | undefined;
      const { server, wire } = await opened(
        {
          session: 's1',
          onGet: (_request, response) => sendEvents((listening = response)),
          onCall: (_request, response) => {
            response.writeHead(202).end();
            listening?.write(eventOf(answerOf(value)));
          },
        },
        limits,
      );
      await server.arrival(isGet);
      assert.deepEqual(await wire.call().catch(factsOf), expected);
    }
  });

  for (const [json, expected] of [
    [answerOf(objects), ['answerTooLarge', 'values', 200_000]],
    [answerOf(deep), ['answerTooLarge', 'levels', 1_000]],
    [answer, undefined],
  ] as const) {
    it(`end an HTTP+SSE connection if they are too many: ${String(expected)}`, async () => {
      let stream: ServerResponse | undefined;
      const server = await HttpServer.start(({ httpMethod }, response) => {
        if (httpMethod === 'GET') {
          stream = response;
          sendEvents(response, 'event: endpoint\ndata: /m\n\n');
        } else {
          response.writeHead(202).end();
          stream?.write(eventOf(json.replace('"id":1', '"id":0')));
        }
      });
      const log = new RecordingLog();
      const transport = await HttpSseTransport.open(
        { url: server.url, log, ...limits },
        new StartClock(5_000),
      );
      const wire = new HttpWire(transport, log, [], {});
      const outcome = await wire.request('tools/call').catch(factsOf);
      if (expected !== undefined) assert.deepEqual(outcome, expected);
      else assert.ok(Reflect.get(Object(outcome), 'structuredContent') instanceof RawJson);
      await wire.end();
      await server.stop();
    });
  }
});
