import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Duplex } from 'node:stream';

/** What tests need of an agent, whichever SDK it is made with. */
export interface Agent {
  tools(): Promise<readonly AgentTool[]>;
  call(name: string, given?: object, more?: CallMore): Promise<AgentResult>;
  /** Resolves with the next `list_changed`. */
  listChanged(): Promise<void>;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export interface AgentTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  readonly inputSchema: unknown;
}

export interface AgentResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface CallMore {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
}

export const eras = ['SDK 1', 'SDK 2, stateful', 'SDK 2, stateless'] as const;
export type AgentEra = (typeof eras)[number];

/** Lines over a stream, as over stdio. */
class LineTransport implements Transport {
  readonly #stream: Duplex;
  #rest = '';
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;

  constructor(stream: Duplex) {
    this.#stream = stream;
  }

  async start(): Promise<void> {
    this.#stream.setEncoding('utf8');
    this.#stream.on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.onmessage?.(JSON.parse(line));
    });
    this.#stream.on('error', () => undefined);
    this.#stream.on('close', () => this.onclose?.());
  }

  async send(message: object): Promise<void> {
    this.#stream.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#stream.destroy();
  }
}

export interface BridgeCommand {
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
}

export interface HttpAddress {
  readonly url: string;
  readonly token: string;
}

type Way = Duplex | BridgeCommand | HttpAddress;

const httpOptions = ({ token }: HttpAddress) => ({
  requestInit: { headers: { authorization: `Bearer ${token}` } },
});

/** An agent of the official SDK, over a stream, through the bridge, or over HTTP. */
export async function connectAgent(era: AgentEra, way: Way, name = 'robot'): Promise<Agent> {
  return era === 'SDK 1' ? connect1(way, name) : connect2(way, name, era === 'SDK 2, stateless');
}

const firstText = (content: unknown): string =>
  Array.isArray(content) ? content.map((each) => String(Object(each).text)).join('\n') : '';

async function connect1(way: Way, name: string): Promise<Agent> {
  const client = new Client1({ name, version: '1' });
  const transport =
    'url' in way
      ? new Http1(new URL(way.url), httpOptions(way))
      : 'command' in way
        ? new Stdio1({ ...way, stderr: 'ignore' })
        : new LineTransport(way);
  // The two SDKs declare the same transport with other optional members.
  await client.connect(Object(transport));
  let onChange: () => void = () => undefined;
  const { ToolListChangedNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js');
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => onChange());
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (tool, given = {}, more = {}) => {
      const params = { name: tool, arguments: { ...given } };
      const { content, isError } = await client.callTool(params, undefined, more);
      return { text: firstText(content), isError: isError === true };
    },
    listChanged: () => new Promise((resolve) => (onChange = resolve)),
    closed: new Promise((resolve) => void Object.assign(client, { onclose: resolve })),
    close: () => client.close(),
  };
}

async function connect2(way: Way, name: string, isStateless: boolean): Promise<Agent> {
  let onChange: () => void = () => undefined;
  const client = new Client2(
    { name, version: '1' },
    {
      versionNegotiation: { mode: isStateless ? { pin: '2026-07-28' } : 'legacy' },
      listChanged: { tools: { autoRefresh: false, onChanged: () => onChange() } },
    },
  );
  await client.connect(
    'url' in way
      ? new Http2(new URL(way.url), httpOptions(way))
      : 'command' in way
        ? new Stdio2({ ...way, stderr: 'ignore' })
        : new LineTransport(way),
  );
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (tool, given = {}, more = {}) => {
      const params = { name: tool, arguments: { ...given } };
      const { content, isError } = await client.callTool(params, more);
      return { text: firstText(content), isError: isError === true };
    },
    listChanged: () => new Promise((resolve) => (onChange = resolve)),
    closed: new Promise((resolve) => void Object.assign(client, { onclose: resolve })),
    close: () => client.close(),
  };
}
