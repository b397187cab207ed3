import { Server as Server1 } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Server as Server2 } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { statefulRevisions } from '../../src/core/types';
import { connectPinned } from './matrixSdk1';

// One server per revision for the pictures, with the tools that an author of that time would have
// written: `<revision>`. The stateful ones are of the official SDK 1.x, the stateless one of 2.x.

const inputSchema = { type: 'object' as const };
const capabilities = { tools: { listChanged: true } };

/** 2024-11-05 knows neither titles nor hints. */
const plainTools = [
  { name: 'list_beds', description: 'Lists the flower beds.', inputSchema },
  { name: 'dig_bed', description: 'Digs a new flower bed.', inputSchema },
];

const hintedTools = [
  {
    name: 'read_gauge',
    title: 'Read the rain gauge',
    description: 'Says how much it rained.',
    inputSchema,
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'note_rain',
    title: 'Note the rain',
    description: 'Adds a line to the book of the weather.',
    inputSchema,
    annotations: { destructiveHint: false, openWorldHint: false },
  },
  {
    name: 'empty_gauge',
    title: 'Empty the rain gauge',
    description: 'Pours away what is in the rain gauge.',
    inputSchema,
    annotations: { destructiveHint: true, openWorldHint: false },
  },
];

async function main(): Promise<void> {
  const revision = statefulRevisions.find((known) => known === process.argv[2]);
  if (revision === undefined) {
    serveStdio(() => {
      const server = new Server2({ name: 'greenhouse', version: '3.0.0' }, { capabilities });
      server.setRequestHandler('tools/list', () => ({ tools: hintedTools }));
      return server;
    });
    return;
  }
  const server = new Server1({ name: 'garden', version: '1.0.0' }, { capabilities });
  const tools = revision === '2024-11-05' ? plainTools : hintedTools;
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  await connectPinned(server, new StdioServerTransport(), revision);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
