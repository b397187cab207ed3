import type { McpClient } from '../../src/core/client';
import { textOf } from '../../src/core/content/textData';
import type { ContentBlock } from '../../src/core/types';
import { clientOverHttp, clientOverStdio } from './clients';
import type { Subject } from './subject';

// What ours offers to whoever measures it. Here is nothing but the core: what else is loaded costs
// time and memory in every row.

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
