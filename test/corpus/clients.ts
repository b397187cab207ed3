import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StdioClientTransport as Stdio1,
  getDefaultEnvironment,
} from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import { silentLog } from '../silentLog';

// The same program under three clients: ours as the product uses it, and both official SDKs as their
// READMEs say.

/** A server as it is started, with nothing of the environment but what clients hand on. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** What is looked at of a tool. */
export interface ListedTool {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
  /** Only ours lists tools that cannot be called. */
  readonly callable?: boolean;
}

export interface Session {
  readonly revision: string;
  tools(): Promise<readonly ListedTool[]>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<{ isError?: boolean }>;
  close(): Promise<void>;
}

export type ClientName = 'us' | 'SDK 1' | 'SDK 2';

const startMs = 60_000;
const callMs = 20_000;
const clientInfo = { name: 'toolgate', title: 'Toolgate', version: '1' };
const maxPages = 100;

async function ours({ command, args, env, cwd }: Program): Promise<Session> {
  const client = await connectStdio({ command, args, env, cwd, log: silentLog, clientInfo });
  return {
    revision: client.revision,
    tools: async () => (await client.listTools()).tools,
    call: async (name, given) => {
      const { isError } = await client.callTool(name, JSON.parse(JSON.stringify(given)), {
        timeoutMs: callMs,
      });
      return { isError };
    },
    close: () => client.close(),
  };
}

interface Page {
  readonly tools: readonly ListedTool[];
  readonly nextCursor?: string | undefined;
}

/** All pages: an SDK gives one at a time. */
async function allPages(list: (cursor?: string) => Promise<Page>): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await list(cursor);
    tools.push(...page.tools);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

async function sdk1({ command, args, env, cwd }: Program): Promise<Session> {
  const client = new Client1({ name: 'sdk1', version: '1' });
  const whole = { ...getDefaultEnvironment(), ...env };
  const transport = new Stdio1({ command, args: [...args], env: whole, cwd, stderr: 'ignore' });
  await orClosed(client.connect(transport, { timeout: startMs }), () => transport.close());
  return {
    revision: client.getServerVersion()?.version ?? '',
    tools: () => allPages((cursor) => client.listTools(cursor === undefined ? {} : { cursor })),
    call: async (name, given) => {
      const result = await client.callTool({ name, arguments: given }, undefined, {
        timeout: callMs,
      });
      return { isError: result['isError'] === true };
    },
    close: () => client.close(),
  };
}

async function sdk2({ command, args, env, cwd }: Program): Promise<Session> {
  const client = new Client2({ name: 'sdk2', version: '1' });
  const whole = { ...getDefaultEnvironment(), ...env };
  const transport = new Stdio2({ command, args: [...args], env: whole, cwd, stderr: 'ignore' });
  await orClosed(client.connect(transport, { timeout: startMs }), () => transport.close());
  return {
    revision: client.getServerVersion()?.version ?? '',
    tools: () => allPages((cursor) => client.listTools(cursor === undefined ? {} : { cursor })),
    call: async (name, given) => {
      const result = await client.callTool({ name, arguments: given }, { timeout: callMs });
      return { isError: result.isError === true };
    },
    close: () => client.close(),
  };
}

/** A start that fails leaves no program behind by our own neglect. */
async function orClosed(start: Promise<unknown>, close: () => Promise<void>): Promise<void> {
  try {
    await start;
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

export const clients: Readonly<Record<ClientName, (program: Program) => Promise<Session>>> = {
  us: ours,
  'SDK 1': sdk1,
  'SDK 2': sdk2,
};
