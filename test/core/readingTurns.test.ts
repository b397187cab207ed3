import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { readJson } from '../../src/core/http/httpBody';
import { SseStream } from '../../src/core/http/sseStream';
import { NdjsonReader } from '../../src/core/stdio/ndjsonReader';
import { StderrLines } from '../../src/core/stdio/stderrLines';

const chunkBytes = 64 * 1024;
const maxBytes = 16 * 1024 * 1024;
const limits = { maxMessageBytes: maxBytes, maxMessageValues: 500_000 };
const message = `{"text":"${'x'.repeat(8 * 1024 * 1024)}"}`;

/** A server that is never waited for; what `read` hands it is read to its end. */
async function mostBytesInOneTurn(
  text: string,
  read: (stream: Readable) => Promise<unknown>,
): Promise<number> {
  const bytes = Buffer.from(text);
  let at = 0;
  const stream = new Readable({
    read() {
      this.push(at < bytes.length ? bytes.subarray(at, at + chunkBytes) : null);
      at += chunkBytes;
    },
  });
  let inTurn = 0;
  let most = 0;
  let isOver = false;
  const nextTurn = (): void => {
    inTurn = 0;
    if (!isOver) setImmediate(nextTurn);
  };
  setImmediate(nextTurn);
  stream.on('data', (chunk: Buffer) => {
    inTurn += chunk.length;
    most = Math.max(most, inTurn);
  });
  try {
    await read(stream);
  } finally {
    isOver = true;
  }
  assert.ok(at >= bytes.length);
  return most;
}

/** Only what every stream has is used of it. */
const asAnswer = (stream: Readable) => stream as unknown as IncomingMessage;

describe('Reading from a fast server', () => {
  for (const [what, text, read] of [
    [
      'a pipe',
      `${message}\n`,
      (stream: Readable) =>
        new Promise<void>((resolve) => {
          const reader = new NdjsonReader(stream, {
            ...limits,
            onGarbage: assert.fail,
          });
          reader.listen(() => resolve());
        }),
    ],
    [
      'stderr',
      'a line\n'.repeat(1_000_000),
      (stream: Readable) => {
        const lines = new StderrLines(stream, {
          onLine: () => undefined,
          onLeftOut: () => undefined,
        });
        return once(stream, 'end').then(() => assert.match(lines.tail(), /^a line$/m));
      },
    ],
    ['the body of an answer', message, (stream: Readable) => readJson(asAnswer(stream), limits)],
    [
      'a stream of events',
      `data: ${message}\n\n`,
      async (stream: Readable) => {
        let events = 0;
        const count = (): void => {
          events += 1;
        };
        await new SseStream(limits, count, count).read(asAnswer(stream));
        assert.equal(events, 1);
      },
    ],
  ] as const) {
    it(`takes half a MiB in one turn of the event loop at most, of ${what}`, async () => {
      const most = await mostBytesInOneTurn(text, read);
      assert.ok(most <= 512 * 1024 + 2 * chunkBytes, `${most} bytes`);
    });
  }
});
