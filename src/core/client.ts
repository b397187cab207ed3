import type { CancellationToken, Event } from 'vscode-jsonrpc/node';
import type { McpError } from './errors';
import type {
  Implementation,
  Progress,
  ResourceContents,
  Revision,
  ServerCapabilities,
  ToolList,
  ToolResult,
} from './types';

/** What any request may be given. */
export interface RequestOptions {
  /** Cancelling settles the request at once and tells the server. */
  readonly token?: CancellationToken;
  /** Deadline for this request; absent: the connection's default. */
  readonly timeoutMs?: number;
}

export interface CallOptions extends RequestOptions {
  /** Each report restarts the deadline, up to the connection's ceiling. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface ListOptions extends RequestOptions {
  /** Asks the server even while what it said before still holds. */
  readonly isRefresh?: boolean;
}

/** A log notification of the server; its text is untrusted. */
export interface ServerLogMessage {
  readonly level: string;
  readonly logger?: string;
  readonly text: string;
}

/**
 * One run of one server, whatever revision and transport it speaks. Every method rejects with an
 * `McpError` and nothing else; after close every pending and later request rejects with
 * `connectionClosed`.
 */
export interface McpClient {
  readonly revision: Revision;
  readonly serverInfo: Implementation;
  readonly capabilities: ServerCapabilities;
  /** Untrusted text of the server about how to use it. */
  readonly instructions?: string;
  /** The process, where there is one. */
  readonly pid?: number;

  /**
   * All pages, in the server's order; empty without the `tools` capability. May
   * be the list from before while the server lets it be kept and tells of no change.
   */
  listTools(options?: ListOptions): Promise<ToolList>;
  /**
   * Sends `tools/call` with the arguments exactly as given. Only `host/gate.ts` may call
   * this. A result with `isError` is a result, not a rejection.
   */
  callTool(name: string, args: object | undefined, options?: CallOptions): Promise<ToolResult>;
  /** Reads `uri` unchanged; listed or not. */
  readResource(uri: string, options?: RequestOptions): Promise<readonly ResourceContents[]>;
  ping(options?: RequestOptions): Promise<void>;

  /** The server said that its tools changed; bursts are the listener's to join. */
  readonly onDidChangeTools: Event<void>;
  readonly onDidLog: Event<ServerLogMessage>;
  /** Fires once. Without an error when we closed it ourselves. */
  readonly onDidClose: Event<McpError | undefined>;

  /** Orderly end: the transport's stop ladder. Resolves when nothing of the run is left. */
  close(): Promise<void>;
}
