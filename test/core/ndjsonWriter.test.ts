import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { NdjsonWriter } from '../../src/core/stdio/ndjsonWriter';
import { outcome } from './wire';

const message = (text: string) => ({ jsonrpc: '2.0', text });
const lines = (...texts: string[]) =>
  texts.map((text) => `{"jsonrpc":"2.0","text":"${text}"}\n`).join('');

/** A pipe that takes nothing until it is told to; `writes` are what reached it. */
class SlowPipe extends Writable {
  readonly writes: string[] = [];
  #release: (() => void) | undefined;
  constructor(highWaterMark = 10) {
    super({ highWaterMark, decodeStrings: false });
  }
  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.writes.push(String(chunk));
    this.#release = done;
  }
  release(): void {
    this.#release?.();
  }
}

describe('NdjsonWriter', () => {
  it('writes the messages of one turn, also of its promise callbacks, 16 at a time', async () => {
    const pipe = new SlowPipe(10_000);
    const writer = new NdjsonWriter(pipe, 1_000);
    // Answers resolve promises, and what follows from them runs in promise callbacks.
    await Promise.resolve();
    const names = Array.from({ length: 17 }, (_, at) => `m${at}`);
    for (const name of names) await writer.write(message(name));
    assert.deepEqual(pipe.writes, [lines(...names.slice(0, 16))]);
    pipe.release();
    await Promise.resolve().then(() => writer.write(message('last')));
    assert.equal(pipe.writes.length, 1);
    await new Promise(setImmediate);
    assert.deepEqual(pipe.writes.slice(1), [lines('m16', 'last')]);
    writer.dispose();
  });

  it('buffers messages while the pipe is full, and writes them at once when it is not', async () => {
    const pipe = new SlowPipe();
    const writer = new NdjsonWriter(pipe, 1_000);
    void writer.write(message('first'));
    await new Promise(setImmediate);
    for (const text of 'abcde') void writer.write(message(text));
    await new Promise(setImmediate);
    assert.deepEqual([pipe.writes.length, pipe.writableNeedDrain], [1, true]);
    // Here, where the bound is, and not in the buffer of the stream, which has none.
    assert.equal(pipe.writableLength, pipe.writes[0]?.length);
    pipe.release();
    assert.deepEqual(pipe.writes.slice(1), [lines('a', 'b', 'c', 'd', 'e')]);
    writer.dispose();
  });

  it('keeps newlines inside strings escaped', async () => {
    const pipe = new PassThrough();
    const writer = new NdjsonWriter(pipe, 1_000);
    void writer.write(message('a\nb\r\n\u2028'));
    writer.end();
    pipe.end();
    const chunks: string[] = [];
    pipe.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
    await once(pipe, 'end');
    assert.equal(chunks.join(''), `{"jsonrpc":"2.0","text":"a\\nb\\r\\n\u2028"}\n`);
  });

  it('writes a message unchanged, whatever happens to its object afterwards', async () => {
    const pipe = new PassThrough();
    const writer = new NdjsonWriter(pipe, 1_000);
    const changing = { jsonrpc: '2.0', text: 'asked' };
    void writer.write(changing);
    changing.text = 'changed';
    await once(pipe, 'readable');
    assert.match(String(pipe.read()), /asked/);
    writer.dispose();
  });

  it('rejects only what cannot be JSON', async () => {
    const pipe = new PassThrough();
    const writer = new NdjsonWriter(pipe, 1_000);
    const cyclic: { jsonrpc: string; self?: unknown } = { jsonrpc: '2.0' };
    cyclic.self = cyclic;
    assert.match(String(await outcome(writer.write(cyclic))), /^writeFailed .*circular/);
    assert.equal(await outcome(writer.write(message('a'))), undefined);
    writer.dispose();
  });

  it('rejects if too much waits for a server that does not read', async () => {
    const pipe = new SlowPipe();
    const writer = new NdjsonWriter(pipe, 100);
    void writer.write(message('first'));
    await new Promise(setImmediate);
    assert.equal(await outcome(writer.write(message('x'.repeat(50)))), undefined);
    assert.equal(await outcome(writer.write(message('x'.repeat(50)))), 'writeFailed');
    writer.dispose();
  });

  it('closes at a broken pipe, once, and rejects from then on', async () => {
    const pipe = new PassThrough();
    const writer = new NdjsonWriter(pipe, 100);
    const seen: string[] = [];
    writer.onError(([error]) => seen.push(error.message));
    writer.onClose(() => seen.push('closed'));
    pipe.destroy(new Error('EPIPE'));
    await new Promise((resolve) => pipe.once('close', resolve));
    assert.deepEqual(seen, ['writeFailed: EPIPE', 'closed']);
    assert.equal(await outcome(writer.write(message('a'))), 'connectionClosed');
  });
});
