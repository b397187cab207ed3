import type { Event } from 'vscode-jsonrpc/node';
import type {
  CallOptions,
  ListOptions,
  McpClient,
  RequestOptions,
  ServerLogMessage,
} from './client';
import type { Era } from './eras/era';
import { McpError } from './errors';
import type { Rpc } from './rpc/rpc';
import type { ServerEvents } from './eras/serverEvents';
import type { Transport } from './rpc/transport';
import type {
  Implementation,
  ResourceContents,
  Revision,
  ServerCapabilities,
  ToolList,
  ToolResult,
} from './types';

/** The client over an era that has been opened. */
export class ConnectedClient implements McpClient {
  readonly revision: Revision;
  readonly serverInfo: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
  readonly pid?: number;
  readonly onDidChangeTools: Event<void>;
  readonly onDidLog: Event<ServerLogMessage>;
  readonly onDidClose: Event<McpError | undefined>;
  readonly #rpc: Rpc;
  readonly #era: Era;
  readonly #transport: Transport;

  constructor(transport: Transport, rpc: Rpc, era: Era, events: ServerEvents) {
    this.#transport = transport;
    this.#rpc = rpc;
    this.#era = era;
    const { revision, serverInfo, capabilities, instructions } = era.session;
    this.revision = revision;
    this.serverInfo = serverInfo;
    this.capabilities = capabilities;
    if (instructions !== undefined) this.instructions = instructions;
    if (transport.pid !== undefined) this.pid = transport.pid;
    this.onDidChangeTools = events.onDidChangeTools;
    this.onDidLog = events.onDidLog;
    this.onDidClose = rpc.onDidEnd;
  }

  async listTools(options?: ListOptions): Promise<ToolList> {
    if (!this.capabilities.tools) return { tools: [], problems: [] };
    return this.#era.listTools(options);
  }

  callTool(name: string, args: object | undefined, options?: CallOptions): Promise<ToolResult> {
    if (!this.capabilities.tools) return Promise.reject(unsupported('tools'));
    return this.#era.callTool(name, args, options);
  }

  readResource(uri: string, options?: RequestOptions): Promise<readonly ResourceContents[]> {
    if (!this.capabilities.resources) return Promise.reject(unsupported('resources'));
    return this.#era.readResource(uri, options);
  }

  ping(options?: RequestOptions): Promise<void> {
    return this.#era.ping(options);
  }

  close(): Promise<void> {
    this.#era.dispose();
    this.#rpc.end(undefined, 'orderly');
    return this.#transport.close('orderly');
  }
}

/** Only what the server declared may be used. */
function unsupported(capability: string): McpError {
  return new McpError('unsupportedFeature', { detail: capability });
}
