import assert from 'node:assert/strict';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { eventOf, resultFor } from '../servers/httpServer';
import type { Received } from '../servers/httpServer';
import { useHttpWires } from './httpWire';
import { outcome } from './wire';

const { opened } = useHttpWires();

const fine = { content: [{ type: 'text', text: 'fine' }] };
const json = 'application/json';

/** One call that is answered with these bytes; a ping shows that nothing else is disturbed. */
async function callAnsweredWith(
  encoding: string,
  bytesFor: (request: Received) => Uint8Array,
  type = json,
): Promise<unknown> {
  const { wire } = await opened({
    session: 's1',
    onCall: (request, response) => {
      response.writeHead(200, { 'Content-Type': type, 'Content-Encoding': encoding });
      response.end(bytesFor(request));
    },
  });
  const result = await outcome(wire.call());
  assert.deepEqual(await wire.request('ping'), {});
  return result;
}

const textFor = (request: Received) => JSON.stringify(resultFor(request, fine));

describe('A compressed answer without Accept-Encoding', () => {
  for (const [name, encode] of Object.entries({
    gzip: gzipSync,
    'X-GZIP': gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
  })) {
    it(`is read with ${name}`, async () => {
      assert.deepEqual(await callAnsweredWith(name, (request) => encode(textFor(request))), fine);
    });
  }

  it('is read with two encodings, the last of which was applied last', async () => {
    const bytes = (request: Received) => gzipSync(brotliCompressSync(textFor(request)));
    assert.deepEqual(await callAnsweredWith('br, gzip', bytes), fine);
  });

  it('is read as events', async () => {
    const bytes = (request: Received) => gzipSync(eventOf(resultFor(request, fine)));
    assert.deepEqual(await callAnsweredWith('gzip', bytes, 'text/event-stream'), fine);
  });

  it('is read unchanged if its encoding is identity', async () => {
    const bytes = (request: Received) => Buffer.from(textFor(request));
    assert.deepEqual(await callAnsweredWith('identity', bytes), fine);
  });

  it('counts by its decompressed size, and ends at the limit', async () => {
    const large = (request: Received) =>
      gzipSync(JSON.stringify(resultFor(request, { content: 'a'.repeat(50_000_000) })));
    assert.equal(await callAnsweredWith('gzip', large), 'answerTooLarge');
  });

  it('is a lost answer if it is truncated or broken, and affects nothing else', async () => {
    const cut = (request: Received) => gzipSync(textFor(request)).subarray(0, 30);
    const broken = (request: Received) => Buffer.from(textFor(request));
    assert.match(String(await callAnsweredWith('gzip', cut)), /^invalidResult/);
    assert.equal(await callAnsweredWith('gzip', broken), 'connectionLost');
  });

  it('is rejected in an unknown encoding, or in more than three', async () => {
    const bytes = (request: Received) => gzipSync(textFor(request));
    assert.match(String(await callAnsweredWith('zebra', bytes)), /^invalidResult/);
    assert.match(String(await callAnsweredWith('gzip,gzip,gzip,gzip', bytes)), /^invalidResult/);
  });
});
