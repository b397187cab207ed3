import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PassThrough } from 'node:stream';
import { McpError } from '../../src/core/errors';
import { NdjsonReader } from '../../src/core/stdio/ndjsonReader';
import { NdjsonWriter } from '../../src/core/stdio/ndjsonWriter';
import { Rpc } from '../../src/core/rpc/rpc';
import { RecordingLog } from './wire';

/** As over HTTP, where a message is under way until its own exchange is over. */
class SlowWriter extends NdjsonWriter {
  #fail: (error: McpError) => void = () => undefined;

  override write(): Promise<void> {
    return new Promise((_resolve, reject) => (this.#fail = reject));
  }
  failNow(): void {
    this.#fail(new McpError('cancelled'));
  }
}

const onGarbage = () => undefined;

function connect(): { rpc: Rpc; writer: SlowWriter; log: RecordingLog } {
  const log = new RecordingLog();
  const writer = new SlowWriter(new PassThrough(), 1_000);
  const transport = {
    reader: new NdjsonReader(new PassThrough(), {
      maxMessageBytes: 1_000,
      maxMessageValues: 500_000,
      onGarbage,
    }),
    writer,
    explainEnd: () => Promise.resolve(new McpError('connectionClosed')),
    close: () => Promise.resolve(),
  };
  const rpc = new Rpc(transport, {
    log,
    limits: { requestTimeoutMs: 1_000, callCeilingMs: 1_000 },
    onNotification: () => undefined,
    answerRequest: () => ({}),
    onGarbage,
  });
  return { rpc, writer, log };
}

describe('Rpc: a notification that could not be sent', () => {
  it('is logged while the connection is open', async () => {
    const { rpc, writer, log } = connect();
    rpc.notify('notifications/initialized');
    writer.failNow();
    await nextTurn();
    rpc.end(undefined, 'orderly');
    assert.deepEqual(log.lines, ['warn notifications/initialized: cancelled']);
  });

  it('is not logged if the connection was closed meanwhile', async () => {
    const { rpc, writer, log } = connect();
    rpc.notify('notifications/initialized');
    rpc.end(undefined, 'orderly');
    writer.failNow();
    await nextTurn();
    assert.deepEqual(log.lines, []);
  });
});
