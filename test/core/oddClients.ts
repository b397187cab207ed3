import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { OAuthClientProvider as SignIn1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { SSEClientTransport as Sse1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  Client as Client2,
  type OAuthClientProvider as SignIn2,
  SSEClientTransport as Sse2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { connectHttp, type ConnectHttpOptions } from '../../src/core/http/connectHttp';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import { clientInfo } from './connections';
import { RecordingLog } from './wire';

/** What each client has at hand to sign in with. */
export interface SignIns {
  readonly us: NonNullable<ConnectHttpOptions['authorization']>;
  readonly sdk1: SignIn1;
  readonly sdk2: SignIn2;
}

/** Where one server of a cell is, and which of its tools says what. */
export type Target = { readonly tool?: string; readonly says?: string } & (
  | { readonly kind: 'http' | 'sse'; readonly url: string; readonly signIns?: SignIns }
  | { readonly kind: 'stdio'; readonly args: readonly string[] }
);

/** What every client does with a server: connect, list, call, close. Throws where it cannot. */
export type Use = (target: Target) => Promise<void>;

/** Ours is given time, because it has to work; an SDK that does not is known by its silence. */
const ourPatienceMs = 20_000;
const patient = { timeout: 1_500 };
const info = { name: 'x', version: '1' };

/** Throws unless the tool is in the list, and its result, in whichever form, has what it says. */
async function assertFine(
  { tool = 'echo', says = 'fine' }: Target,
  tools: readonly { readonly name: string }[],
  call: (tool: string) => Promise<unknown>,
): Promise<void> {
  const names = tools.map(({ name }) => name);
  if (!names.includes(tool)) throw new Error(`lists ${names.join() || 'nothing'}`);
  if (!JSON.stringify(await call(tool)).includes(says)) throw new Error('the result is lost');
}

const ours: Use = async (target) => {
  const processes = new LiveProcesses();
  const common = {
    clientInfo,
    log: new RecordingLog(),
    limits: {
      stdinMs: 2_000,
      probeTimeoutMs: 3_000,
      requestTimeoutMs: ourPatienceMs,
      startTimeoutMs: ourPatienceMs,
    },
  };
  const client =
    target.kind === 'stdio'
      ? await connectStdio({
          ...common,
          command: process.execPath,
          args: target.args,
          env: {},
          processes,
        })
      : await connectHttp({
          ...common,
          url: target.url,
          ...(target.signIns === undefined ? {} : { authorization: target.signIns.us }),
        });
  try {
    const { tools } = await client.listTools();
    const usable = tools.filter(({ callable }) => callable);
    await assertFine(target, usable, async (tool) => (await client.callTool(tool, {})).content);
  } finally {
    await client.close();
  }
};

const sdk1: Use = async (target) => {
  const client = new Client1(info);
  try {
    await client.connect(transport1(target), patient);
    const { tools } = await client.listTools({}, patient);
    await assertFine(target, tools, (name) =>
      client.callTool({ name, arguments: {} }, undefined, patient),
    );
  } finally {
    await client.close();
  }
};

function transport1(target: Target): Parameters<Client1['connect']>[0] {
  if (target.kind === 'stdio') {
    return new Stdio1({ command: process.execPath, args: [...target.args], stderr: 'ignore' });
  }
  const url = new URL(target.url);
  const authProvider = target.signIns?.sdk1;
  const options = authProvider === undefined ? {} : { authProvider };
  return target.kind === 'sse' ? new Sse1(url) : new Http1(url, options);
}

const sdk2: Use = async (target) => {
  // A sign-in is part of it.
  const timeoutMs = target.kind === 'http' && target.signIns !== undefined ? 5_000 : 500;
  const client = new Client2(info, {
    versionNegotiation: { mode: 'auto', probe: { timeoutMs } },
  });
  try {
    await client.connect(transport2(target), patient);
    const { tools } = await client.listTools({}, patient);
    await assertFine(target, tools, (name) => client.callTool({ name, arguments: {} }, patient));
  } finally {
    await client.close();
  }
};

function transport2(target: Target): Parameters<Client2['connect']>[0] {
  if (target.kind === 'stdio') {
    return new Stdio2({ command: process.execPath, args: [...target.args], stderr: 'ignore' });
  }
  const url = new URL(target.url);
  const authProvider = target.signIns?.sdk2;
  const options = authProvider === undefined ? {} : { authProvider };
  return target.kind === 'sse' ? new Sse2(url) : new Http2(url, options);
}

export const clients = { us: ours, 'SDK 1': sdk1, 'SDK 2': sdk2 } as const;
