import type { CancellationToken, Event } from 'vscode-jsonrpc/node';
import type { McpError } from './errors';
import type { FollowOptions } from './tasks/followTask';
import type { PromptList } from './parse/promptsAndResources';
import type { SkillList } from './skills/skill';
import type { TaskList } from './tasks/statefulTasks';
import type { TaskHandle, TaskMethod, TaskState } from './tasks/taskState';
import type { JsonObject } from './json/jsonValue';
import type { CallDeadline } from './rpc/callDeadline';
import type {
  Completion,
  Implementation,
  Progress,
  ReadResourceResult,
  ResourceList,
  ResourceTemplateList,
  Revision,
  ServerCapabilities,
  ToolList,
  ToolResult,
} from './types';

/** Options that every request accepts. */
export interface RequestOptions {
  /** Cancelling settles the request at once and notifies the server. */
  readonly token?: CancellationToken;
  /** Deadline for this request. Defaults to the connection's. */
  readonly timeoutMs?: number;
  /** Further members of `_meta`. Those of the protocol replace members of the same name. */
  readonly meta?: JsonObject;
}

export interface CallOptions extends RequestOptions, FollowOptions {
  /**
   * True to run the call as a task if the server supports that. A stateless server decides on its
   * own.
   */
  readonly isTask?: boolean;
  /** Each report restarts the deadline, up to the connection's maximum. */
  readonly onProgress?: (progress: Progress) => void;
  /** Replaces `timeoutMs` by a deadline with its own maximum that can be postponed. */
  readonly deadline?: CallDeadline;
  /** Called if the server answers after the call was given up. */
  readonly onLateAnswer?: (result: unknown) => void;
}

export interface ListOptions extends RequestOptions {
  /** Ignores cached results that are still valid. */
  readonly isRefresh?: boolean;
}

/** Strings by argument name; prompts accept no other type. */
export type PromptArguments = Readonly<Record<string, string>>;

/** Like {@link ListOptions}, for one resource. */
export interface ReadOptions extends ListOptions {
  /** Reads the list of resources, too, if only it can say what the page of an app requests. */
  readonly hasListedUi?: boolean;
}

/** A variable of a template or an argument of a prompt that is being completed. */
export interface CompletionRequest {
  /** The template or the prompt, as listed by the server. */
  readonly of: { readonly uriTemplate: string } | { readonly prompt: string };
  readonly argument: string;
  /** The text entered so far. */
  readonly value: string;
  /** The other variables or arguments that have values. */
  readonly known: Readonly<Record<string, string>>;
}

/**
 * The resources of a server. Empty without the capability. Lists may be cached while the server
 * allows it and reports no change.
 */
export interface ResourceClient {
  list(options?: ListOptions): Promise<ResourceList>;
  listTemplates(options?: ListOptions): Promise<ResourceTemplateList>;
  /**
   * Replaces the set of resources whose changes are reported. Never fails: `watched` has those that
   * the server accepted.
   */
  watch(uris: ReadonlySet<string>): void;
  /** The requested resources whose changes the server will report. */
  readonly watched: ReadonlySet<string>;
  readonly onDidChangeWatched: Event<void>;
  /** The server reported that its resources or templates changed. */
  readonly onDidChange: Event<void>;
  /** A resource or part of it changed; the event has the URI that the server sent. */
  readonly onDidUpdate: Event<string>;
}

/**
 * A connection to a server, for any revision and transport. Every method rejects with an `McpError`
 * only. After it has closed, all pending and later requests reject with `connectionClosed`.
 */
export interface McpClient {
  readonly revision: Revision;
  readonly serverInfo: Implementation;
  readonly capabilities: ServerCapabilities;
  /** Untrusted: the server's instructions for its use. */
  readonly instructions?: string;
  /** The process id, if there is a process. */
  readonly pid?: number;

  /**
   * Lists all pages in the server's order. Empty without the `tools` capability.
   * May be cached while the server allows it and reports no change.
   */
  listTools(options?: ListOptions): Promise<ToolList>;
  /**
   * Sends `tools/call` with the arguments unchanged. Only `host/calls/gate.ts` may call
   * this. A result with `isError` is a result, not a rejection.
   */
  callTool(name: string, args: object | undefined, options?: CallOptions): Promise<ToolResult>;
  /**
   * Follows a task that another connection to this server created, possibly in an earlier process,
   * and resolves to the result of its call. Cancelling cancels the task at the server.
   * @throws {McpError} taskLost if the server does not know it, or it belongs to the other protocol
   * | what `callTool` rejects with
   */
  resumeTask(handle: TaskHandle, options?: FollowOptions): Promise<ToolResult>;
  /**
   * Reads the state of a task, or asks the server to cancel it, in the session of the handle.
   * Resolves to the state, which an answer to `tasks/cancel` may not have.
   * @throws {McpError} taskLost | what any request rejects with
   */
  requestTask(
    method: TaskMethod,
    handle: TaskHandle,
    options?: RequestOptions,
  ): Promise<TaskState | undefined>;
  /** The current session, if the transport has sessions. */
  readonly sessionId?: string | undefined;
  /** Lists the tasks of this session. Empty if the server does not list tasks. */
  listTasks(options?: RequestOptions): Promise<TaskList>;
  /** Reads `uri` unchanged, even if it was not listed. */
  readResource(uri: string, options?: ReadOptions): Promise<ReadResourceResult>;
  readonly resources: ResourceClient;
  /** Lists all pages. Empty without the `prompts` capability. Cached like tools. */
  listPrompts(options?: ListOptions): Promise<PromptList>;
  /** Lists all pages. Empty without the extension for skills. Reads none of their files. */
  listSkills(options?: RequestOptions): Promise<SkillList>;
  /**
   * Lists the files and folders directly in a folder of a skill, by its URI without a slash at the
   * end. Empty unless the server declares `directoryRead`.
   */
  listSkillFolder(uri: string, options?: RequestOptions): Promise<ResourceList>;
  /**
   * Sends `prompts/get` with the arguments unchanged. The messages become the content of a result,
   * each with its role.
   */
  getPrompt(
    name: string,
    args: PromptArguments | undefined,
    options?: CallOptions,
  ): Promise<ToolResult>;
  /** Returns the server's proposals, if it has any. */
  complete(request: CompletionRequest, options?: RequestOptions): Promise<Completion>;
  ping(options?: RequestOptions): Promise<void>;

  /** The server reported that its tools changed. Listeners have to debounce it. */
  readonly onDidChangeTools: Event<void>;
  /** The server reported that its prompts changed. */
  readonly onDidChangePrompts: Event<void>;
  /** Fires once, without an error if the connection was closed by `close`. */
  readonly onDidClose: Event<McpError | undefined>;

  /**
   * Closes the connection and ends the process step by step. Resolves when nothing of it is left.
   */
  close(): Promise<void>;
}
