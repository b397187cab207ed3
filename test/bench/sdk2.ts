import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { patient, sdkBufferBytes as maxBufferSize, type Subject } from './subject';

// The official TypeScript SDK, 2.x, used as its README says.
type Transport = Parameters<Client['connect']>[0];

async function connect(transport: Transport): Promise<Subject> {
  const client = new Client({ name: 'sdk2', version: '1' });
  await client.connect(transport);
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args) => client.callTool({ name, arguments: args }, patient),
    close: () => client.close(),
  };
}

export const connectStdio = (command: string, args: readonly string[]): Promise<Subject> =>
  connect(new StdioClientTransport({ command, args: [...args], maxBufferSize }));

export const connectHttp = (url: string): Promise<Subject> =>
  connect(new StreamableHTTPClientTransport(new URL(url)));
