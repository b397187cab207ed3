import { Recordings, type Recorded } from '../../src/host/recording/recordings';

/**
 * A window that records more than the limit of its process lets a file hold: `<file>`. Says whether
 * what it does beside the recording went on, and how the recording ended.
 */
async function main([file = '']: readonly string[]): Promise<void> {
  let heard: Recorded | undefined;
  const recordings = new Recordings({
    listen: (_, to) => (heard = to),
    redact: (text) => text,
  });
  const ended = new Promise((resolve) => recordings.onDidEnd(resolve));
  await recordings.open({ id: 'full', label: 'full' }, file, []);
  recordings.arm('full');
  let told = 0;
  const message = { jsonrpc: '2.0', method: 'm', params: { text: 'x'.repeat(10_000) } };
  for (let turn = 0; turn < 500; turn += 1) {
    heard?.('sent', message);
    told += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log(JSON.stringify({ told, ended: await ended, isHeard: heard !== undefined }));
}

void main(process.argv.slice(2));
