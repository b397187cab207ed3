import type { CancellationToken, Event } from 'vscode-jsonrpc/node';
import type { McpError } from './errors';
import type { FollowOptions } from './tasks/followTask';
import type { PromptList } from './parse/parsePrompts';
import type { TaskList } from './tasks/listTasks';
import type { TaskHandle } from './tasks/taskHandle';
import type { CallDeadline } from './rpc/callDeadline';
import type {
  Completion,
  Implementation,
  Progress,
  ResourceContents,
  ResourceList,
  ResourceTemplateList,
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

export interface CallOptions extends RequestOptions, FollowOptions {
  /** The call is sent as a task where the server takes tasks; a stateless server decides by itself. */
  readonly isTask?: boolean;
  /** Each report restarts the deadline, up to the connection's ceiling. */
  readonly onProgress?: (progress: Progress) => void;
  /** In place of `timeoutMs`: a time limit, with its own ceiling, that can be put off. */
  readonly deadline?: CallDeadline;
  /** Told when the server answers a call after all that was given up. */
  readonly onLateAnswer?: (result: unknown) => void;
}

export interface ListOptions extends RequestOptions {
  /** Asks the server even while what it said before still holds. */
  readonly isRefresh?: boolean;
}

/** Texts by the names of arguments: prompts take nothing else. */
export type PromptArguments = Readonly<Record<string, string>>;

/** Like {@link ListOptions}, for one resource. */
export type ReadOptions = ListOptions;

/** One variable of a template that is being filled in. */
export interface CompletionRequest {
  /** As the server listed it. */
  readonly uriTemplate: string;
  readonly variable: string;
  /** What was typed so far. */
  readonly value: string;
  /** The variables that have their values already. */
  readonly known: Readonly<Record<string, string>>;
}

/**
 * The resources of a server; a server without the capability has none. Lists may be those from
 * before while the server lets them be kept and tells of no change.
 */
export interface ResourceClient {
  list(options?: ListOptions): Promise<ResourceList>;
  listTemplates(options?: ListOptions): Promise<ResourceTemplateList>;
  /** What the server proposes; nothing where it proposes nothing. */
  complete(request: CompletionRequest, options?: RequestOptions): Promise<Completion>;
  /**
   * From now on changes of exactly these are wanted, in place of those before. Never fails: what
   * the server grants is in `watched`.
   */
  watch(uris: ReadonlySet<string>): void;
  /** Of what is wanted, that of which the server will tell. */
  readonly watched: ReadonlySet<string>;
  readonly onDidChangeWatched: Event<void>;
  /** The server said that its resources or templates are others now. */
  readonly onDidChange: Event<void>;
  /** A resource, or a part of it, is not as it was: its URI as the server says it. */
  readonly onDidUpdate: Event<string>;
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
   * Sends `tools/call` with the arguments exactly as given. Only `host/calls/gate.ts` may call
   * this. A result with `isError` is a result, not a rejection.
   */
  callTool(name: string, args: object | undefined, options?: CallOptions): Promise<ToolResult>;
  /**
   * Stays with a task that another connection to this server created, in this process or before, and
   * resolves with the result of its call. Cancelling cancels the task at the server.
   * @throws {McpError} taskLost when the server does not know it, or it is of the other wire |
   *   what `callTool` rejects with
   */
  resumeTask(handle: TaskHandle, options?: FollowOptions): Promise<ToolResult>;
  /** The session of the connection now, where the transport has sessions. */
  readonly sessionId?: string | undefined;
  /** The tasks that the server knows of this session; none where it does not list them. */
  listTasks(options?: RequestOptions): Promise<TaskList>;
  /** Reads `uri` unchanged; listed or not. */
  readResource(uri: string, options?: ReadOptions): Promise<readonly ResourceContents[]>;
  readonly resources: ResourceClient;
  /** All pages; empty without the `prompts` capability. */
  listPrompts(options?: RequestOptions): Promise<PromptList>;
  /**
   * Sends `prompts/get` with the arguments exactly as given. The messages come as the content of a
   * result, each with its role.
   */
  getPrompt(
    name: string,
    args: PromptArguments | undefined,
    options?: RequestOptions,
  ): Promise<ToolResult>;
  ping(options?: RequestOptions): Promise<void>;

  /** The server said that its tools changed; bursts are the listener's to join. */
  readonly onDidChangeTools: Event<void>;
  /** Fires once. Without an error when we closed it ourselves. */
  readonly onDidClose: Event<McpError | undefined>;

  /** Orderly end: the transport's stop ladder. Resolves when nothing of the run is left. */
  close(): Promise<void>;
}
