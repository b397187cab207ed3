import { StdioServerTransport as StdioTransport1 } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  StdioServerTransport as StdioTransport2,
  serveStdio,
} from '@modelcontextprotocol/server/stdio';
import { statefulRevisions } from '../../src/core/types';
import { connectPinned, makeServer1 } from './matrixSdk1';
import { makeServer2 } from './matrixSdk2';
import { Offer } from './matrixTools';

// A server of the matrix as a process: `<sdk> <revision>`. Tells its facts on stderr.
const [, , sdk, wanted] = process.argv;
const revision = statefulRevisions.find((known) => known === wanted);
const offer = new Offer();
const notify = (fact: string) => process.stderr.write(`fact: ${fact}\n`);
process.stdin.on('end', () => notify('left'));

async function main(): Promise<void> {
  if (sdk === '1' && revision !== undefined) {
    await connectPinned(makeServer1(offer, notify), new StdioTransport1(), revision);
  } else if (revision !== undefined) {
    await makeServer2(offer, notify, revision).connect(new StdioTransport2());
  } else {
    serveStdio(() => makeServer2(offer, notify));
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
