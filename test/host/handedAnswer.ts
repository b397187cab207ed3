import { copyContent } from '../../src/core/content/wireResult';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import { RecordingLog } from '../core/wire';
import { peakMemoryBytes } from '../peakMemory';

// A window that hands an answer to another extension: `handedAnswer.ts <server script> <mode>` prints
// how many characters it handed over, and by how many bytes its memory grew meanwhile.
async function main(script: string, mode: string): Promise<void> {
  const client = await connectStdio({
    command: process.execPath,
    args: [script, mode],
    env: {},
    log: new RecordingLog(),
    clientInfo: { name: 'window', title: 'Window', version: '1' },
  });
  await client.listTools();
  const before = peakMemoryBytes();
  const { content } = await client.callTool('echo', { text: '' });
  const [own] = await copyContent(content);
  const length = own?.type === 'text' ? own.text.length : 0;
  console.log(JSON.stringify({ length, grownBytes: peakMemoryBytes() - before }));
  await client.close();
}

const [script = '', mode = ''] = process.argv.slice(2);
main(script, mode).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
