import type { JsonObject } from '../json/jsonValue';
import { type CancellationToken, Emitter } from 'vscode-jsonrpc/node';
import type { CallOptions, ListOptions, ReadOptions, RequestOptions } from '../client';
import type { CompletionRequests, PromptRequests, SkillRequests } from './resourceRequests';
import type { ConnectionLimits } from './connectionLimits';
import type { ElicitationBroker } from '../input/elicitationBroker';
import { type ConnectionLog, type LogLevel, writeServerLog, parseLogMessage } from '../log';
import type { Rpc } from '../rpc/rpc';
import type { RequestHandling } from '../rpc/serverRequests';
import type { TransportSession } from '../rpc/transport';
import type { TaskList } from '../tasks/statefulTasks';
import type { FollowOptions } from '../tasks/followTask';
import type { TaskHandle, TaskMethod, TaskState } from '../tasks/taskState';
import type {
  ClaimedCapabilities,
  EraKind,
  Implementation,
  ReadResourceResult,
  ResourceList,
  ResourceTemplateList,
  Revision,
  ServerCapabilities,
  ToolList,
  ToolResult,
} from '../types';

/** Identifies the client to the server. */
export interface ClientInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** The results of the handshake, valid for the rest of the connection. */
export interface Session {
  readonly revision: Revision;
  readonly serverInfo: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
}

/** The parts of one connection that every era uses. */
export interface EraContext {
  readonly rpc: Rpc;
  readonly clientInfo: ClientInfo;
  readonly log: ConnectionLog;
  readonly limits: ConnectionLimits;
  readonly events: ServerEvents;
  /** Absent if the user cannot be asked, in which case no such capability is declared. */
  readonly input?: ElicitationBroker;
  /** Absent if the client declares what it can do. */
  readonly claimed?: ClaimedCapabilities;
  /** Absent if no log messages are requested. */
  readonly logLevel?: LogLevel;
  /** Extensions that the client declares to support, with their settings. */
  readonly extensions?: JsonObject;
  /** Over HTTP, sessions can get lost, and arguments are mirrored into headers. */
  readonly isHttp: boolean;
  /** See {@link Transport.untilSignedIn}. */
  readonly untilSignedIn?: () => Promise<void>;
  /** Absent if the transport has no sessions. */
  readonly transportSession?: TransportSession;
  /**
   * Passes notifications of the server to `sink` from now on, and its requests if they are
   * answered.
   */
  enter(sink: EraSink, requests: RequestHandling): void;
}

/**
 * The differences between the eras of the protocol, for one open connection. `connectedClient.ts`
 * uses only this interface, so a new era is a new file.
 */
export interface Era {
  readonly kind: EraKind;
  readonly session: Session;
  listTools(options: ListOptions | undefined): Promise<ToolList>;
  callTool(
    name: string,
    args: object | undefined,
    options: CallOptions | undefined,
  ): Promise<ToolResult>;
  resumeTask(handle: TaskHandle, options: FollowOptions | undefined): Promise<ToolResult>;
  /** Resolves to the state in the answer, which an answer to `tasks/cancel` may not have. */
  requestTask(
    method: TaskMethod,
    taskId: string,
    options: RequestOptions | undefined,
  ): Promise<TaskState | undefined>;
  /** Called only if the server declared that it lists tasks. Absent if the era has no such list. */
  listTasks?(options: RequestOptions | undefined): Promise<TaskList>;
  readonly resources: EraResources;
  readonly prompts: PromptRequests;
  readonly skills: SkillRequests;
  readonly completions: Pick<CompletionRequests, 'complete'>;
  /** Checks that the server responds. */
  ping(options: RequestOptions | undefined): Promise<void>;
  dispose(): void;
}

/**
 * The differences between the eras for resources. Changes are reported to the connection's {@link
 * ServerEvents}.
 */
export interface EraResources {
  list(options: ListOptions | undefined): Promise<ResourceList>;
  listTemplates(options: ListOptions | undefined): Promise<ResourceTemplateList>;
  read(uri: string, options: ReadOptions | undefined): Promise<ReadResourceResult>;
  watch(uris: ReadonlySet<string>): void;
  readonly watched: ReadonlySet<string>;
}

/** Receives the messages of a connection in their order. */
export interface EraSink {
  /** Handles a notification, except for progress. */
  take(method: string, params: unknown): void;
  /** Answers a request of the server. @throws {RequestRefused} */
  answer(method: string, params: unknown, token: CancellationToken): object | Promise<object>;
}

/** Events of a server for users of the client. */
export class ServerEvents {
  readonly toolsChanged = new Emitter<void>();
  readonly promptsChanged = new Emitter<void>();
  readonly resourcesChanged = new Emitter<void>();
  /** Fires with the URI that the server sent. */
  readonly resourceUpdated = new Emitter<string>();
  readonly watchedChanged = new Emitter<void>();
  readonly #log: ConnectionLog;

  constructor(log: ConnectionLog) {
    this.#log = log;
  }

  /**
   * Logs the params of `notifications/message`; unusable ones are dropped. Starts with the first
   * message, because what a server logs before it fails to start explains the failure.
   */
  logged(params: unknown): void {
    const message = parseLogMessage(params);
    if (message !== undefined) writeServerLog(this.#log, message);
  }
}
