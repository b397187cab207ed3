import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { StderrLines } from '../../src/core/stdio/stderrLines';
import { until } from '../waiting';

function tailOf(text: string): string {
  const stream = new PassThrough();
  const lines = new StderrLines(stream, { onLine: () => undefined, onLeftOut: () => undefined });
  stream.write(text);
  stream.read();
  return lines.tail();
}

describe('The kept part of stderr', () => {
  it('is the last lines, including one without an end', () => {
    assert.equal(tailOf('first\r\nlast\n\n'), 'first\nlast');
    assert.equal(tailOf('first\nwaiting for'), 'first\nwaiting for');
    assert.equal(tailOf('\n \n'), '');
  });

  it('begins at a line, so that it contains no half of a secret', () => {
    const long = `password=hunter2 ${'x'.repeat(4_000)}`;
    const lines = tailOf(`${long}\n${'y'.repeat(200)}\nlast\n`).split('\n');
    assert.deepEqual(
      lines.map((line) => line.slice(0, 3)),
      ['yyy', 'las'],
    );
  });

  it('is the beginning of a line that exceeds the limit', () => {
    const tail = tailOf(`before\n${'x'.repeat(8_000)}y`);
    assert.deepEqual([tail.length, tail.at(-1)], [4_096, 'x']);
  });

  it('is never more than 4,096 characters', () => {
    for (const line of ['x'.repeat(1_000), 'x'.repeat(63), 'x'.repeat(4_096), 'x']) {
      assert.ok(tailOf(`${line}\n`.repeat(70)).length <= 4_096);
    }
  });
});

describe('The last line of stderr', () => {
  for (const [how, end] of [
    ['ends', (stream: PassThrough) => void stream.end()],
    [
      'is given up because another process holds it',
      (stream: PassThrough) => void stream.destroy(),
    ],
  ] as const) {
    it(`is delivered without a newline when the stream ${how}`, async () => {
      const stream = new PassThrough();
      const lines: string[] = [];
      const sink = { onLine: (line: string) => lines.push(line), onLeftOut: () => undefined };
      assert.equal(new StderrLines(stream, sink).tail(), '');
      stream.write('first\nlast words');
      await until(() => lines.length === 1);
      const closed = once(stream, 'close');
      end(stream);
      await closed;
      assert.deepEqual(lines, ['first', 'last words']);
    });
  }
});
