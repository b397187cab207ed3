import { Emitter } from 'vscode-jsonrpc/node';
import type { Event } from 'vscode-jsonrpc/node';
import type { CallOptions, McpClient, RequestOptions, ServerLogMessage } from './client';
import type { Era, Session } from './era';
import { McpError } from './errors';
import { listAllTools } from './listTools';
import { parseLogMessage } from './parseNotifications';
import { parseReadResult, parseToolPage, parseToolResult } from './parseResults';
import type { Rpc } from './rpc';
import type { Transport } from './transport';
import type {
  Implementation,
  ResourceContents,
  Revision,
  ServerCapabilities,
  ToolList,
  ToolResult,
} from './types';

/** What a server may say unasked, from its first message on. */
export class ServerEvents {
  readonly #onDidChangeTools = new Emitter<void>();
  readonly onDidChangeTools = this.#onDidChangeTools.event;
  readonly #onDidLog = new Emitter<ServerLogMessage>();
  readonly onDidLog = this.#onDidLog.event;

  take(method: string, params: unknown): void {
    if (method === 'notifications/tools/list_changed') this.#onDidChangeTools.fire();
    else if (method === 'notifications/message') {
      const message = parseLogMessage(params);
      if (message !== undefined) this.#onDidLog.fire(message);
    }
  }
}

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

  constructor(transport: Transport, rpc: Rpc, era: Era, session: Session, events: ServerEvents) {
    this.#transport = transport;
    this.#rpc = rpc;
    this.#era = era;
    this.revision = session.revision;
    this.serverInfo = session.serverInfo;
    this.capabilities = session.capabilities;
    if (session.instructions !== undefined) this.instructions = session.instructions;
    if (transport.pid !== undefined) this.pid = transport.pid;
    this.onDidChangeTools = events.onDidChangeTools;
    this.onDidLog = events.onDidLog;
    this.onDidClose = rpc.onDidEnd;
  }

  async listTools(options?: RequestOptions): Promise<ToolList> {
    if (!this.capabilities.tools) return { tools: [], problems: [] };
    return listAllTools((cursor) => {
      const params = cursor === undefined ? {} : { cursor };
      return this.#era.request(this.#rpc, 'tools/list', params, parseToolPage, options);
    });
  }

  callTool(name: string, args: object | undefined, options?: CallOptions): Promise<ToolResult> {
    if (!this.capabilities.tools) return Promise.reject(unsupported('tools'));
    const params = args === undefined ? { name } : { name, arguments: args };
    return this.#era.request(this.#rpc, 'tools/call', params, parseToolResult, options);
  }

  readResource(uri: string, options?: RequestOptions): Promise<readonly ResourceContents[]> {
    if (!this.capabilities.resources) return Promise.reject(unsupported('resources'));
    const parse = (result: unknown) => parseReadResult(result, uri);
    return this.#era.request(this.#rpc, 'resources/read', { uri }, parse, options);
  }

  ping(options?: RequestOptions): Promise<void> {
    return this.#era.ping(this.#rpc, options);
  }

  close(): Promise<void> {
    this.#rpc.end(undefined, 'orderly');
    return this.#transport.close('orderly');
  }
}

/** Only what the server declared may be used. */
function unsupported(capability: string): McpError {
  return new McpError('unsupportedFeature', { detail: capability });
}
