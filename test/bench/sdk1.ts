import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { patient, sdkBufferBytes as maxBufferSize, type Subject } from './subject';

// The official TypeScript SDK, 1.x, used as its README says.
type Transport = Parameters<Client['connect']>[0];

async function connect(transport: Transport): Promise<Subject> {
  const client = new Client({ name: 'sdk1', version: '1' });
  await client.connect(transport);
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, args) =>
      (await client.callTool({ name, arguments: args }, undefined, patient)) as {
        content: unknown[];
      },
    close: () => client.close(),
  };
}

export const connectStdio = (command: string, args: readonly string[]): Promise<Subject> =>
  connect(new StdioClientTransport({ command, args: [...args], maxBufferSize }));

export const connectHttp = (url: string): Promise<Subject> =>
  connect(new StreamableHTTPClientTransport(new URL(url)));
