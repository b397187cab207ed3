import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as Sse1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  Client as Client2,
  SSEClientTransport as Sse2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { connectHttp } from '../../src/core/http/connectHttp';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import type { Place } from '../servers/oddMessages';
import { clientInfo } from './connections';
import { RecordingLog } from './wire';

/** Where one server of a cell is. */
export type Target =
  | { readonly kind: 'http' | 'sse'; readonly url: string; readonly place: Place }
  | { readonly kind: 'stdio'; readonly args: readonly string[]; readonly place: Place };

/** What every client does with a server: connect, list, call, close. Throws where it cannot. */
export type Use = (target: Target) => Promise<void>;

/** Ours is given time, because it has to work; an SDK that does not is known by its silence. */
const ourPatienceMs = 10_000;
const patient = { timeout: 1_500 };
const info = { name: 'x', version: '1' };

function assertFine(tools: readonly string[], result: unknown): void {
  if (!tools.includes('echo')) throw new Error(`lists ${tools.join() || 'nothing'}`);
  // Whichever form it has: the SDKs hand it on as it came.
  if (!JSON.stringify(result).includes('fine')) throw new Error('the result is lost');
}

export const ours: Use = async (target) => {
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
      : await connectHttp({ ...common, url: target.url });
  try {
    const { tools } = await client.listTools();
    const usable = tools.filter(({ callable }) => callable).map(({ name }) => name);
    const { content } = await client.callTool('echo', {});
    assertFine(usable, content);
  } finally {
    await client.close();
  }
};

export const sdk1: Use = async (target) => {
  const client = new Client1(info);
  try {
    await client.connect(transport1(target), patient);
    const { tools } = await client.listTools({}, patient);
    const result = await client.callTool({ name: 'echo', arguments: {} }, undefined, patient);
    assertFine(
      tools.map(({ name }) => name),
      result,
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
  return target.kind === 'sse' ? new Sse1(url) : new Http1(url);
}

export const sdk2: Use = async (target) => {
  const client = new Client2(info, {
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: 500 } },
  });
  try {
    await client.connect(transport2(target), patient);
    const { tools } = await client.listTools({}, patient);
    const result = await client.callTool({ name: 'echo', arguments: {} }, patient);
    assertFine(
      tools.map(({ name }) => name),
      result,
    );
  } finally {
    await client.close();
  }
};

function transport2(target: Target): Parameters<Client2['connect']>[0] {
  if (target.kind === 'stdio') {
    return new Stdio2({ command: process.execPath, args: [...target.args], stderr: 'ignore' });
  }
  const url = new URL(target.url);
  return target.kind === 'sse' ? new Sse2(url) : new Http2(url);
}
