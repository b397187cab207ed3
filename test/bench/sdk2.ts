import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Subject } from './subject';

// The official TypeScript SDK, 2.x, used as its README says.
// Their default refuses a line of 64 MiB.
const maxBufferSize = 256 * 1024 * 1024;
// Their default gives up on 64 MiB where the machine is busy.
const patient = { timeout: 300_000 };
type Transport = Parameters<Client['connect']>[0];

async function connect(transport: Transport): Promise<Subject> {
  const client = new Client({ name: 'sdk2', version: '1' });
  await client.connect(transport);
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args) =>
      client.callTool({ name, arguments: args as Record<string, unknown> }, patient),
    close: () => client.close(),
  };
}

export const connectStdio = (command: string, args: readonly string[]): Promise<Subject> =>
  connect(new StdioClientTransport({ command, args: [...args], maxBufferSize }));

export const connectHttp = (url: string): Promise<Subject> =>
  connect(new StreamableHTTPClientTransport(new URL(url)));
