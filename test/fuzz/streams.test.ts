import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import * as fc from 'fast-check';
import { isMcpError } from '../../src/core/errors';
import { SseStream } from '../../src/core/http/sseStream';
import { NdjsonReader } from '../../src/core/stdio/ndjsonReader';
import { fuzz } from './fuzzing';
import { mutatedText } from './mutations';
import { messages } from './samples';

const lines = messages
  .map((message) => JSON.stringify(message))
  .filter((line) => line.length < 2_000);
const events = lines.flatMap((line, index) => [
  `data: ${line}\n\n`,
  `id: ${index}\nevent: message\ndata: ${line}\n\n: comment\nretry: 10\n\n`,
  `data: ${line}\r\n\r\ndata: a\rdata: b\r\r`,
]);
/** Where the bytes of a stream are cut into chunks, in thousandths. */
const cuts = fc.array(fc.nat(1_000), { maxLength: 6 });

function chunksOf(text: string, at: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const ends = at
    .map((each) => Math.floor((each / 1_000) * bytes.length))
    .toSorted((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const limits = { maxMessageBytes: 100_000, maxMessageValues: 500_000 };

function streamOf(chunks: readonly Buffer[]): PassThrough {
  const stream = new PassThrough();
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  return stream;
}

async function readLines(chunks: readonly Buffer[]): Promise<readonly unknown[]> {
  const read: unknown[] = [];
  const reader = new NdjsonReader(streamOf(chunks), {
    ...limits,
    onGarbage: (line) => read.push(['garbage', line]),
  });
  reader.onError((error) => read.push(['error', error.message]));
  const closed = new Promise<void>((resolve) => reader.onClose(() => resolve()));
  reader.listen((value: unknown) => read.push(value));
  await closed;
  return read;
}

async function readEvents(chunks: readonly Buffer[]): Promise<readonly unknown[]> {
  const read: unknown[] = [];
  const stream = new SseStream(limits, (type, data) => read.push([type, data]));
  try {
    await stream.read(asAnswer(streamOf(chunks)));
  } catch (error) {
    if (!isMcpError(error, 'answerTooLarge')) throw error;
    read.push(error.code);
  }
  return [...read, stream.lastEventId, stream.retryMs];
}

/** Of an answer only the stream is read. */
function asAnswer(stream: PassThrough): IncomingMessage {
  const answer: unknown = stream;
  return answer as IncomingMessage;
}

describe('A stream, in chunks of any size,', () => {
  const text = fc
    .array(mutatedText(lines), { minLength: 1, maxLength: 3 })
    .map((all) => all.join('\n'));
  fuzz('of lines is read the same', 3, fc.tuple(text, cuts), async ([given, at]) => {
    assert.deepEqual(await readLines(chunksOf(given, at)), await readLines(chunksOf(given, [])));
  });

  const stream = fc
    .array(mutatedText(events), { minLength: 1, maxLength: 2 })
    .map((all) => all.join(''));
  fuzz('of events is read the same', 3, fc.tuple(stream, cuts), async ([given, at]) => {
    assert.deepEqual(await readEvents(chunksOf(given, at)), await readEvents(chunksOf(given, [])));
  });
});
