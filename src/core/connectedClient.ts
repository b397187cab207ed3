import type { Event } from 'vscode-jsonrpc/node';
import type {
  CallOptions,
  CompletionRequest,
  ListOptions,
  McpClient,
  PromptArguments,
  ReadOptions,
  RequestOptions,
  ResourceClient,
} from './client';
import { withListedUi } from './content/content';
import type { Era, ServerEvents } from './eras/era';
import { McpError } from './errors';
import type { PromptList } from './parse/promptsAndResources';
import type { SkillList } from './skills/skill';
import type { TaskList } from './tasks/statefulTasks';
import type { Rpc } from './rpc/rpc';
import type { Transport } from './rpc/transport';
import type { FollowOptions } from './tasks/followTask';
import { rethrowLost, type TaskHandle, type TaskMethod, type TaskState } from './tasks/taskState';
import type {
  Completion,
  Implementation,
  ReadResourceResult,
  ResourceList,
  Revision,
  ServerCapabilities,
  ToolList,
  ToolResult,
} from './types';

/** The client for an opened era. */
export class ConnectedClient implements McpClient {
  readonly revision: Revision;
  readonly serverInfo: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
  readonly pid?: number;
  readonly resources: ResourceClient;
  readonly onDidChangeTools: Event<void>;
  readonly onDidChangePrompts: Event<void>;
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
    this.resources = resourcesOf(era, events);
    this.onDidChangeTools = events.toolsChanged.event;
    this.onDidChangePrompts = events.promptsChanged.event;
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

  resumeTask(handle: TaskHandle, options?: FollowOptions): Promise<ToolResult> {
    if (handle.wire !== this.#era.kind) return Promise.reject(new McpError('taskLost'));
    return this.#era.resumeTask(handle, options);
  }

  requestTask(
    method: TaskMethod,
    { wire, taskId }: TaskHandle,
    options?: RequestOptions,
  ): Promise<TaskState | undefined> {
    if (wire !== this.#era.kind) return Promise.reject(new McpError('taskLost'));
    return this.#era.requestTask(method, taskId, options).catch(rethrowLost);
  }

  get sessionId(): string | undefined {
    return this.#transport.session?.id;
  }

  async listTasks(options?: RequestOptions): Promise<TaskList> {
    const list = this.capabilities.taskLists ? this.#era.listTasks?.(options) : undefined;
    return list ?? { tasks: [], problems: [] };
  }

  async readResource(uri: string, options?: ReadOptions): Promise<ReadResourceResult> {
    if (!this.capabilities.resources) throw unsupported('resources');
    const read = await this.#era.resources.read(uri, options);
    if (options?.hasListedUi !== true) return read;
    const { token } = options;
    const list = () => this.resources.list(token && { token });
    return { ...read, contents: await withListedUi(read.contents, list) };
  }

  async listPrompts(options?: ListOptions): Promise<PromptList> {
    if (!this.capabilities.prompts) return { prompts: [], problems: [] };
    return this.#era.prompts.list(options);
  }

  async listSkills(options?: RequestOptions): Promise<SkillList> {
    if (!this.capabilities.skills) return { skills: [], problems: [] };
    return this.#era.skills.list(options);
  }

  async listSkillFolder(uri: string, options?: RequestOptions): Promise<ResourceList> {
    if (!this.capabilities.skillFolders) return { resources: [], problems: [] };
    return this.#era.skills.folder(uri, options);
  }

  getPrompt(
    name: string,
    args: PromptArguments | undefined,
    options?: CallOptions,
  ): Promise<ToolResult> {
    if (!this.capabilities.prompts) return Promise.reject(unsupported('prompts'));
    return this.#era.prompts.get(name, args, options);
  }

  complete(request: CompletionRequest, options?: RequestOptions): Promise<Completion> {
    return this.#era.completions.complete(request, options);
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

/** Returns the era's resource functions for a server with resources. */
function resourcesOf({ session, resources }: Era, events: ServerEvents): ResourceClient {
  const hasResources = session.capabilities.resources;
  return {
    list: async (options) =>
      hasResources ? resources.list(options) : { resources: [], problems: [] },
    listTemplates: async (options) =>
      hasResources ? resources.listTemplates(options) : { templates: [], problems: [] },
    watch: (uris) => {
      if (hasResources) resources.watch(uris);
    },
    get watched() {
      return resources.watched;
    },
    onDidChangeWatched: events.watchedChanged.event,
    onDidChange: events.resourcesChanged.event,
    onDidUpdate: events.resourceUpdated.event,
  };
}

/** Only declared capabilities may be used. */
function unsupported(capability: string): McpError {
  return new McpError('unsupportedFeature', { detail: capability });
}
