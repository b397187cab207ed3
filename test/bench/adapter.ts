import type { McpClient } from '../../src/core/client';
import { textOf } from '../../src/core/content/textKind';
import { connectStdio as connect } from '../../src/core/stdio/connectStdio';
import type { ContentBlock } from '../../src/core/types';
import { silentLog } from '../silentLog';
import type { Subject } from './subject';

// What ours offers to whoever measures it: the real core as the product uses it, with validation, deadlines
// and limits. Nothing else is here: what else is loaded costs time and memory in every row.

const options = {
  log: silentLog,
  clientInfo: { name: 'toolgate', title: 'Toolgate', version: '1' },
  // What the product knows of a server from its second start on; the other clients do not ask.
  rememberedEra: 'stateful',
} as const;

export const clientOverStdio = (command: string, args: readonly string[]): Promise<McpClient> =>
  connect({ command, args, env: {}, ...options });

export async function clientOverHttp(url: string): Promise<McpClient> {
  // What the other rows measure has no HTTP in its memory, and neither have the others' there.
  const { connectHttp: connectByHttp } = await import('../../src/core/http/connectHttp');
  return connectByHttp({ url, ...options });
}

function toSubject(client: McpClient): Subject {
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, args) => ({
      content: (await client.callTool(name, args)).content.map(withText),
    }),
    close: () => client.close(),
  };
}

/** A very large text is a string to whoever reads it here; nobody who does not pays for one. */
function withText(block: ContentBlock): unknown {
  if (block.type !== 'text' || typeof block.text === 'string') return block;
  const { text } = block;
  return Object.defineProperty({ ...block }, 'text', { enumerable: true, get: () => textOf(text) });
}

export async function connectStdio(command: string, args: readonly string[]): Promise<Subject> {
  return toSubject(await clientOverStdio(command, args));
}

export async function connectHttp(url: string): Promise<Subject> {
  return toSubject(await clientOverHttp(url));
}
