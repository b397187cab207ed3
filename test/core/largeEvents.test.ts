import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { isMcpError } from '../../src/core/errors';
import type { LargeData } from '../../src/core/http/largeDataLines';
import { SseStream } from '../../src/core/http/sseStream';

const large = 400 * 1024;
const limitsOf = (maxMessageBytes: number) => ({ maxMessageBytes, maxMessageValues: 500_000 });

/** The answer that these chunks are the body of. */
function answerOf(chunks: Iterable<Buffer>): IncomingMessage {
  const stream = new PassThrough();
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  // Only what every stream has is used of it.
  return stream as unknown as IncomingMessage;
}

function* chunksOf(text: string, size: () => number): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    const end = at + size();
    yield Buffer.from(bytes.subarray(at, end));
    at = end;
  }
}

/** As `JSON.parse` would have it. */
const asText = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    item instanceof Uint8Array ? Buffer.from(item).toString() : item,
  );

const jsonOf = (data: string): string => {
  try {
    return asText(JSON.parse(data));
  } catch {
    return 'no JSON';
  }
};

const ofLarge = (data: LargeData): string =>
  data.kind === 'value' ? asText(data.value) : 'no JSON';

/** What comes of a stream, and how many events were read while they came. */
async function read(text: string, size: () => number, maxBytes = 64 * large) {
  const events: string[] = [];
  let taken = 0;
  const stream = new SseStream(
    limitsOf(maxBytes),
    (type, data) => events.push(`${type} ${jsonOf(data)}`),
    (type, data) => {
      taken += 1;
      events.push(`${type} ${ofLarge(data)}`);
    },
  );
  await stream.read(answerOf(chunksOf(text, size)));
  return { events, taken, lastEventId: stream.lastEventId };
}

async function readPlainly(text: string): Promise<string[]> {
  const events: string[] = [];
  const stream = new SseStream(limitsOf(64 * large), (type, data) =>
    events.push(`${type} ${jsonOf(data)}`),
  );
  await stream.read(answerOf([Buffer.from(text)]));
  return events;
}

/** Whole numbers from 0 below `limit`, the same for the same seed. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const message = (text: string) => ({ result: { content: [{ type: 'text', text }] } });

describe('Large events of a stream', () => {
  it('are read in parts, as bytes in content', async () => {
    const text = 'grüße "quoted" 🙂\n'.repeat(large / 10);
    const values: unknown[] = [];
    const stream = new SseStream(
      limitsOf(64 * large),
      () => assert.fail('it was one text'),
      (_, data) => values.push(data),
    );
    const event = `event: message\nid: 7\ndata: ${JSON.stringify(message(text))}\n\n`;
    await stream.read(answerOf(chunksOf(event, () => 65_536)));
    assert.equal(stream.lastEventId, '7');
    const [data] = values as [{ kind: string; value: ReturnType<typeof message> }];
    const [block] = data.value.result.content;
    const bytes: unknown = block?.text;
    assert.ok(bytes instanceof Uint8Array);
    assert.equal(Buffer.from(bytes).toString() === text, true);
  });

  it('are the same as a parser’s, in chunks of any size', async () => {
    let taken = 0;
    for (let seed = 1; seed <= 12; seed += 1) {
      const next = randomNumbers(seed);
      const end = ['\n', '\r', '\r\n'][next(3)] ?? '';
      const body = (): string => 'x🙂é'.repeat(1 + next(3) * (large / 4));
      const data = (): string => {
        const json = JSON.stringify(message(body()));
        const space = next(2) === 0 ? ' ' : '';
        switch (next(6)) {
          case 0:
            return [`data:${space}{"a":`, `data:${space}${json}`, `data:}`].join(end);
          case 1:
            return [`data:${space}${json.slice(0, -1)}`, `data: }`].join(end);
          case 2:
            return `data:${space}${json}}`;
          case 3:
            return [`: note`, `data:${space}${json}`, `foo: ${body()}`].join(end);
          default:
            return `data:${space}${json}`;
        }
      };
      const events = Array.from({ length: 4 }, (_, index) => {
        const type = next(2) === 0 ? `event: message${end}` : '';
        return `id: ${index}${end}${type}${data()}${end}${end}`;
      });
      const text = `${next(4) === 0 ? '\uFEFF' : ''}${events.join('')}data: {"left":1}`;
      const found = await read(text, () => 1 + next(next(2) === 0 ? 70_000 : 3_000));
      assert.equal(
        found.events.join('\n') === (await readPlainly(text)).join('\n'),
        true,
        `${seed}`,
      );
      taken += found.taken;
    }
    assert.ok(taken > 9, `only ${taken} were taken out`);
  });

  it('end the stream if they exceed the limit of a message', async () => {
    const text = `data: "${'x'.repeat(4 * large)}"\n\n`;
    await assert.rejects(
      read(text, () => 65_536, large),
      (error) => isMcpError(error, 'answerTooLarge'),
    );
  });

  it('are dropped if the stream ends within them', async () => {
    const { events } = await read(`data: 1\n\ndata: "${'x'.repeat(large)}"\n`, () => 65_536);
    assert.deepEqual(events, ['message 1']);
  });
});
