import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import http from 'node:http';
import { SseStream } from '../../src/core/http/sseStream';
import { HttpServer, sendEvents } from '../servers/httpServer';

interface Read {
  readonly events: readonly string[];
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
}

/** What a stream makes of these pieces, each of which arrives on its own. */
async function read(...pieces: readonly (string | Buffer)[]): Promise<Read> {
  const events: string[] = [];
  const stream = new SseStream(
    { maxMessageBytes: 1_000_000, maxMessageValues: 500_000 },
    (type, data) => events.push(`${type}: ${data}`),
  );
  await streamed(stream, pieces);
  const { lastEventId, retryMs } = stream;
  return { events, lastEventId, retryMs };
}

/** Sends the pieces over a real connection, each when the one before it was taken. */
async function streamed(stream: SseStream, pieces: readonly (string | Buffer)[]): Promise<void> {
  const server = await HttpServer.start((_request, response) => {
    sendEvents(response);
    const left = [...pieces];
    const next = (): void => {
      const piece = left.shift();
      if (piece === undefined) response.end();
      else response.write(piece, () => setImmediate(next));
    };
    next();
  });
  try {
    const message = await new Promise<IncomingMessage>((resolve) => http.get(server.url, resolve));
    message.on('error', () => undefined);
    await stream.read(message);
  } finally {
    await server.stop();
  }
}

const nothing = { lastEventId: undefined, retryMs: undefined };

describe('SseStream', () => {
  for (const [what, pieces, events] of [
    ['lines ended by LF', ['data: a\n\ndata: b\n\n'], ['message: a', 'message: b']],
    ['lines ended by CR', ['data: a\r\rdata: b\r\r'], ['message: a', 'message: b']],
    ['lines ended by CRLF', ['data: a\r\n\r\ndata: b\r\n\r\n'], ['message: a', 'message: b']],
    [
      'a CRLF split over chunks',
      ['data: a\r', '\n\r', '\ndata: b\r\n\r\n'],
      ['message: a', 'message: b'],
    ],
    ['a byte order mark', ['\uFEFFdata: a\n\n'], ['message: a']],
    ['several data lines', ['data: a\ndata:\ndata:  b\n\n'], ['message: a\n\n b']],
    ['no space after the colon', ['data:a\n\n'], ['message: a']],
    ['another type', ['event: endpoint\ndata: /x\n\n'], ['endpoint: /x']],
    ['comments', [': hello\n\n:\ndata: a\n: b\n\n'], ['message: a']],
    ['fields of other names', ['foo: x\nDATA: y\ndata: a\n\n'], ['message: a']],
    [
      'a character split over chunks',
      [Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xe2]), Buffer.from([0x82, 0xac, 0x0a, 0x0a])],
      ['message: €'],
    ],
    ['an event that is not complete', ['data: a\n\ndata: b\n'], ['message: a']],
    ['an event without data', ['event: x\n\ndata:\n\n'], []],
  ] as const) {
    it(`reads ${what}`, async () => {
      assert.deepEqual(await read(...pieces), { ...nothing, events });
    });
  }

  it('keeps the last id and the last retry, also of an event without data', async () => {
    assert.deepEqual(
      await read('id: 1\nretry: 20\ndata: a\n\nid: 2\nretry: 30\ndata:\n\ndata: b\n\n'),
      {
        events: ['message: a', 'message: b'],
        lastEventId: '2',
        retryMs: 30,
      },
    );
  });

  it('ignores an id with NUL, and a retry that is not all digits', async () => {
    assert.deepEqual(await read('id: a\0b\nretry: 1e3\ndata: a\n\n'), {
      ...nothing,
      events: ['message: a'],
    });
  });

  it('sends an id back as its bytes, and none that no header can contain', async () => {
    const { lastEventId } = await read('id: é\ndata: a\n\n');
    assert.equal(lastEventId, 'Ã©');
    assert.equal((await read('id: a\u0001\ndata: a\n\n')).lastEventId, undefined);
    assert.equal((await read(`id: ${'x'.repeat(5_000)}\ndata: a\n\n`)).lastEventId, undefined);
  });

  it('drops a partial event when the stream continues in another answer', async () => {
    const events: string[] = [];
    const stream = new SseStream(
      { maxMessageBytes: 1_000, maxMessageValues: 500_000 },
      (_type, data) => events.push(data),
    );
    await streamed(stream, ['id: 1\ndata: a\n\nid: 2\ndata: b']);
    await streamed(stream, ['data: c\n\n']);
    assert.deepEqual(events, ['a', 'c']);
    assert.equal(stream.lastEventId, '1');
  });

  it('needs no more time for carriage returns than for other bytes', async () => {
    // What looks back at each of them would take hours.
    const { events } = await read(`${'\r'.repeat(1_000_000)}data: a\r\r`, '\r'.repeat(1_000_000));
    assert.deepEqual(events, ['message: a']);
  });
});
