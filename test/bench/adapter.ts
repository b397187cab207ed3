import { connectStdio as connect } from '../../src/core/connectStdio';
import type { McpClient } from '../../src/core/client';
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
const clientInfo = { name: 'toolgate', title: 'Toolgate', version: '1' };

function toSubject(client: McpClient): Subject {
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args) => client.callTool(name, args),
    close: () => client.close(),
  };
}

export async function connectStdio(command: string, args: readonly string[]): Promise<Subject> {
  return toSubject(await connect({ command, args, env: {}, log: silent, clientInfo }));
}

export async function connectHttp(url: string): Promise<Subject> {
  throw new Error(`no HTTP yet: ${url}`);
}
