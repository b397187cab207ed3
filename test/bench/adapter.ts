import type { McpClient } from '../../src/core/client';
import { connectStdio as overStdio } from '../../src/core/stdio/connectStdio';
import type { ConnectionLog } from '../../src/core/log';
import type { Subject } from './subject';

// The real core as the product uses it: validation, deadlines and limits are on.
const silent: ConnectionLog = {
  info: () => {},
  warn: () => {},
  error: () => {},
  stderr: () => {},
  trace: () => {},
  isTracing: () => false,
};
const options = {
  log: silent,
  clientInfo: { name: 'toolgate', title: 'Toolgate', version: '1' },
  // What the product knows of a server from its second start on; the other clients do not ask.
  rememberedEra: 'stateful',
} as const;

function toSubject(client: McpClient): Subject {
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args) => client.callTool(name, args),
    close: () => client.close(),
  };
}

export async function connectStdio(command: string, args: readonly string[]): Promise<Subject> {
  return toSubject(await overStdio({ command, args, env: {}, ...options }));
}

export async function connectHttp(url: string): Promise<Subject> {
  // What the other rows measure has no HTTP in its memory, and neither have the others' there.
  const { connectHttp: overHttp } = await import('../../src/core/http/connectHttp');
  return toSubject(await overHttp({ url, ...options }));
}
