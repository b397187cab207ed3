import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { NdjsonReader } from '../../src/core/stdio/ndjsonReader';

/** Everything that happens when a stream delivers exactly these chunks and ends. */
async function read(chunks: readonly (string | Buffer)[], maxMessageBytes = 1_000) {
  const stream = new PassThrough();
  const values: unknown[] = [];
  const garbage: string[] = [];
  const errors: string[] = [];
  const reader = new NdjsonReader(stream, {
    maxMessageBytes,
    maxMessageValues: 500_000,
    onGarbage: (line) => garbage.push(line),
  });
  reader.onError((error) => errors.push(error.message));
  const closed = new Promise<void>((resolve) => reader.onClose(() => resolve()));
  reader.listen((value: unknown) => values.push(value));
  for (const chunk of chunks) {
    await new Promise((resolve) => stream.write(chunk, resolve));
  }
  stream.end();
  await closed;
  return { values, garbage, errors };
}

const small = { maxMessageBytes: 100, maxMessageValues: 500_000 };

const readValues = async (chunks: readonly (string | Buffer)[]) => (await read(chunks)).values;

describe('NdjsonReader', () => {
  it('reads many messages from one chunk, in order', async () => {
    assert.deepEqual(await readValues(['{"a":1}\n{"a":2}\n{"a":3}\n']), [
      { a: 1 },
      { a: 2 },
      { a: 3 },
    ]);
  });

  it('reads one message byte by byte, split inside characters', async () => {
    const bytes = Buffer.from('{"text":"grüße 🙂 漢"}\n');
    const chunks = [...bytes].map((byte) => Buffer.from([byte]));
    assert.deepEqual(await readValues(chunks), [{ text: 'grüße 🙂 漢' }]);
  });

  it('reads the end of one message and the start of the next from one chunk', async () => {
    assert.deepEqual(await readValues(['{"a"', ':1}\n{"b":', '2}\n{"c":3}\n']), [
      { a: 1 },
      { b: 2 },
      { c: 3 },
    ]);
  });

  it('accepts CR before LF, empty lines, blank lines and a byte order mark', async () => {
    const { values, garbage } = await read(['\uFEFF{"a":1}\r\n\r\n\n  \n{"a":2}\r\n']);
    assert.deepEqual([values, garbage], [[{ a: 1 }, { a: 2 }], []]);
  });

  it('loses no line because of an incomplete character in the line before it', async () => {
    const broken = Buffer.concat([Buffer.from('"'), Buffer.from([0xe2, 0x82])]);
    const { values, garbage } = await read([Buffer.concat([broken, Buffer.from('\n{"a":1}\n')])]);
    assert.deepEqual([values, garbage], [[{ a: 1 }], ['"\uFFFD']]);
  });

  it('treats U+2028 and escaped newlines as text, not as the end of a line', async () => {
    const message = { text: 'a\nb\u2028c\u2029d' };
    assert.deepEqual(await readValues([JSON.stringify(message) + '\n']), [message]);
  });

  it('reads a last message without newline when the stream ends', async () => {
    assert.deepEqual(await readValues(['{"a":1}\n{"a":2}']), [{ a: 1 }, { a: 2 }]);
  });

  it('reports each line that is not JSON, shortened, and continues', async () => {
    const { values, garbage } = await read(['Listening on stdio\n{"a":1}\n{"a":\nx'], 100_000);
    assert.deepEqual([values, garbage], [[{ a: 1 }], ['Listening on stdio', '{"a":', 'x']]);
    const long = await read(['x'.repeat(50_000) + '\n'], 100_000);
    assert.deepEqual(
      long.garbage.map((line) => line.length),
      [4096],
    );
  });

  it('passes on values that are not objects unchanged', async () => {
    assert.deepEqual(await readValues(['1\nnull\n"x"\n[1]\n']), [1, null, 'x', [1]]);
  });

  it('keeps keys like __proto__ as plain data', async () => {
    const [value] = await readValues(['{"__proto__":{"isError":true},"constructor":1}\n']);
    assert.deepEqual(Object.keys(Object(value)), ['__proto__', 'constructor']);
    assert.equal(Object(value).isError, undefined);
    assert.equal(Object.getPrototypeOf({}).isError, undefined);
  });

  it('accepts a message of exactly the limit', async () => {
    const line = JSON.stringify('x'.repeat(98));
    assert.deepEqual(await read([line + '\n'], 100), {
      values: ['x'.repeat(98)],
      garbage: [],
      errors: [],
    });
  });

  for (const [how, chunks] of [
    ['in one chunk', ['{"a":1}\n', `"${'x'.repeat(99)}"\n{"a":2}\n`]],
    ['over many chunks, before its end came', ['{"a":1}\n', 'x'.repeat(60), 'x'.repeat(60)]],
  ] as const) {
    it(`ends with messageTooLarge at a message over the limit, ${how}`, () => {
      const stream = new PassThrough();
      const seen: unknown[] = [];
      const reader = new NdjsonReader(stream, { ...small, onGarbage: assert.fail });
      reader.onError((error) => seen.push(error.message));
      reader.onClose(() => seen.push('closed'));
      reader.listen((value: unknown) => seen.push(value));
      for (const chunk of chunks) stream.emit('data', Buffer.from(chunk));
      assert.deepEqual(seen, [{ a: 1 }, 'messageTooLarge', 'closed']);
    });
  }

  it('turns an exception of its listener into an error event and continues', async () => {
    const stream = new PassThrough();
    const reader = new NdjsonReader(stream, { ...small, onGarbage: () => undefined });
    const seen: unknown[] = [];
    reader.onError((error) => seen.push(error.message));
    reader.listen((value: unknown) => {
      seen.push(value);
      if (value === 1) throw new Error('boom');
    });
    stream.end('1\n2\n');
    await once(stream, 'end');
    assert.deepEqual(seen, [1, 'internal: boom', 2]);
  });

  it('drains the stream after it is disposed', async () => {
    const stream = new PassThrough({ highWaterMark: 16 });
    const reader = new NdjsonReader(stream, { ...small, onGarbage: assert.fail });
    reader.listen(() => assert.fail());
    reader.dispose();
    stream.end(Buffer.alloc(1_000_000));
    await once(stream, 'end');
  });

  it('needs linear time: 64 MiB in 4 KiB chunks', async () => {
    const stream = new PassThrough();
    const reader = new NdjsonReader(stream, {
      ...small,
      maxMessageBytes: 2 ** 27,
      onGarbage: assert.fail,
    });
    const value = new Promise<unknown>((resolve) => reader.listen(resolve));
    const chunk = Buffer.alloc(4096, 'x');
    // Joining at every chunk would copy 512 GiB, for longer than the test may take.
    stream.emit('data', Buffer.from('"'));
    for (let i = 0; i < 16_384; i += 1) stream.emit('data', chunk);
    stream.emit('data', Buffer.from('"\n'));
    assert.equal(String(await value).length, 16_384 * 4096);
    reader.dispose();
  });
});
