import type { McpClient } from '../../src/core/client';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import { silentLog } from '../silentLog';

// The real core as the product uses it: validation, deadlines and limits are on.
const options = {
  log: silentLog,
  clientInfo: { name: 'toolgate', title: 'Toolgate', version: '1' },
  // What the product knows of a server from its second start on; the other clients do not ask.
  rememberedEra: 'stateful',
} as const;

export function clientOverStdio(command: string, args: readonly string[]): Promise<McpClient> {
  return connectStdio({ command, args, env: {}, ...options });
}

export async function clientOverHttp(url: string): Promise<McpClient> {
  // What the other rows measure has no HTTP in its memory, and neither have the others' there.
  const { connectHttp } = await import('../../src/core/http/connectHttp');
  return connectHttp({ url, ...options });
}
