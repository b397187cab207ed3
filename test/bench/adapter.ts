import type { McpClient } from '../../src/core/client';
import { textOf } from '../../src/core/content/textData';
import { connectStdio as overStdio } from '../../src/core/stdio/connectStdio';
import type { ConnectionLog } from '../../src/core/log';
import type { ContentBlock } from '../../src/core/types';
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
    callTool: async (name, args) => ({
      content: (await client.callTool(name, args)).content.map(withText),
    }),
    // Loaded for the rows that open something: what the others measure has it not in its memory.
    opener: async () => (await import('./opened')).openerOf(client),
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
  return toSubject(await overStdio({ command, args, env: {}, ...options }));
}

export async function connectHttp(url: string): Promise<Subject> {
  // What the other rows measure has no HTTP in its memory, and neither have the others' there.
  const { connectHttp: overHttp } = await import('../../src/core/http/connectHttp');
  return toSubject(await overHttp({ url, ...options }));
}
