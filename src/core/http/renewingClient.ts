import { CancellationTokenSource, Emitter } from 'vscode-jsonrpc/node';
import type { CancellationToken, Disposable } from 'vscode-jsonrpc/node';
import type {
  CallOptions,
  CompletionRequest,
  ListOptions,
  McpClient,
  PromptArguments,
  ReadOptions,
  RequestOptions,
} from '../client';
import { isMcpError, McpError, toMcpError, withoutEffect } from '../errors';
import { raceCancellation } from '../rpc/cancellation';
import type { FollowOptions } from '../tasks/followTask';
import type { TaskHandle, TaskMethod, TaskState } from '../tasks/taskState';
import { JoinedSessions, RenewedResources } from './joinedSessions';
import type { PromptList } from '../parse/promptsAndResources';
import type { SkillList } from '../skills/skill';
import type { TaskList } from '../tasks/statefulTasks';
import type {
  Completion,
  Implementation,
  ReadResourceResult,
  ResourceList,
  Revision,
  ServerCapabilities,
  ToolList,
  ToolResult,
} from '../types';

/** A server that loses more sessions than this in a minute keeps none. */
const maxRenewals = 5;
const windowMs = 60_000;
/**
 * Maximum number of consecutive requests refused in the very session begun for them: the next one
 * would be refused too.
 */
const maxRefusedAgain = 2;
/** Delay before the second renewal in that time; doubled before each further one. */
const firstDelayMs = 250;

/**
 * A client for servers that may lose their session: it begins a new session, sends the refused
 * request once more, and reports that the tools may have changed. A call that was
 * pending when the session got lost is not sent again, because it may have had an effect.
 */
export class RenewingClient implements McpClient {
  readonly #connect: (token: CancellationToken) => Promise<McpClient>;
  /** Cancels a session that is being started. */
  readonly #ending = new CancellationTokenSource();
  #client: McpClient;
  #renewing: Promise<McpClient> | undefined;
  #renewedAt: number[] = [];
  /** Counted separately for calls: lists may work where calls never do. */
  readonly #refusedAgain = { call: 0, other: 0 };
  #subscriptions: Disposable[] = [];
  #closing: Promise<void> | undefined;
  /** True once the closing was reported; after that the client must not reopen. */
  #isOver = false;
  readonly #joined: JoinedSessions;
  readonly resources: RenewedResources;
  /** Instructions of the first session. */
  readonly instructions?: string;

  readonly #onDidChangeTools = new Emitter<void>();
  readonly onDidChangeTools = this.#onDidChangeTools.event;
  readonly #onDidChangePrompts = new Emitter<void>();
  readonly onDidChangePrompts = this.#onDidChangePrompts.event;
  readonly #onDidClose = new Emitter<McpError | undefined>();
  readonly onDidClose = this.#onDidClose.event;

  /**
   * @param connect makes the client for each further session; never called concurrently
   * @param join makes a client in a session that is already open at the server
   */
  constructor(
    client: McpClient,
    connect: (token: CancellationToken) => Promise<McpClient>,
    join: (sessionId: string, known: McpClient) => Promise<McpClient>,
  ) {
    this.#client = client;
    this.#connect = connect;
    this.#joined = new JoinedSessions(async (sessionId) => join(sessionId, this.#client));
    this.resources = new RenewedResources(client.resources, (send, options) =>
      this.#run(send, options, true),
    );
    if (client.instructions !== undefined) this.instructions = client.instructions;
    this.#follow(client);
  }

  get revision(): Revision {
    return this.#client.revision;
  }

  get serverInfo(): Implementation {
    return this.#client.serverInfo;
  }

  get capabilities(): ServerCapabilities {
    return this.#client.capabilities;
  }

  listTools(options?: ListOptions): Promise<ToolList> {
    return this.#run((client) => client.listTools(options), options, true);
  }

  callTool(name: string, args: object | undefined, options?: CallOptions): Promise<ToolResult> {
    return this.#run((client) => client.callTool(name, args, options), options, false);
  }

  /** Resumes in the session that created the task, even if this client now uses another one. */
  resumeTask(handle: TaskHandle, options?: FollowOptions): Promise<ToolResult> {
    return this.#inSessionOf(handle, (client) => client.resumeTask(handle, options));
  }

  requestTask(
    method: TaskMethod,
    handle: TaskHandle,
    options?: RequestOptions,
  ): Promise<TaskState | undefined> {
    return this.#inSessionOf(handle, (client) => client.requestTask(method, handle, options));
  }

  #inSessionOf<T>({ sessionId }: TaskHandle, send: (client: McpClient) => Promise<T>): Promise<T> {
    return sessionId === undefined || sessionId === this.sessionId
      ? send(this.#client)
      : this.#joined.use(sessionId, send);
  }

  get sessionId(): string | undefined {
    return this.#client.sessionId;
  }

  listTasks(options?: RequestOptions): Promise<TaskList> {
    return this.#run((client) => client.listTasks(options), options, true);
  }

  readResource(uri: string, options?: ReadOptions): Promise<ReadResourceResult> {
    return this.#run((client) => client.readResource(uri, options), options, true);
  }

  listPrompts(options?: ListOptions): Promise<PromptList> {
    return this.#run((client) => client.listPrompts(options), options, true);
  }

  listSkills(options?: RequestOptions): Promise<SkillList> {
    return this.#run((client) => client.listSkills(options), options, true);
  }

  listSkillFolder(uri: string, options?: RequestOptions): Promise<ResourceList> {
    return this.#run((client) => client.listSkillFolder(uri, options), options, true);
  }

  getPrompt(
    name: string,
    args: PromptArguments | undefined,
    options?: CallOptions,
  ): Promise<ToolResult> {
    return this.#run((client) => client.getPrompt(name, args, options), options, true);
  }

  complete(request: CompletionRequest, options?: RequestOptions): Promise<Completion> {
    return this.#run((client) => client.complete(request, options), options, true);
  }

  ping(options?: RequestOptions): Promise<void> {
    return this.#run((client) => client.ping(options), options, true);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#ending.cancel();
    await this.#renewing?.catch(() => undefined);
    await Promise.all([this.#client.close(), this.#joined.close()]);
  }

  async #run<T>(
    send: (client: McpClient) => Promise<T>,
    options: RequestOptions | undefined,
    isRepeatable: boolean,
  ): Promise<T> {
    const client = this.#client;
    const kind = isRepeatable ? 'other' : 'call';
    try {
      const result = await once(send, client, isRepeatable);
      this.#refusedAgain[kind] = 0;
      return result;
    } catch (error) {
      if (!isMcpError(error, 'sessionLost')) throw error;
    }
    // Other callers wait for the new session too, so it continues when one of them gives up.
    const renewed = raceCancellation(this.#renew(client), options?.token).catch(
      (error: unknown) => {
        // Even if the renewal failed, the request was refused or never sent.
        throw withoutEffect(toMcpError(error));
      },
    );
    try {
      const result = await once(send, await renewed, isRepeatable);
      this.#refusedAgain[kind] = 0;
      return result;
    } catch (error) {
      if (isMcpError(error, 'sessionLost')) {
        this.#refusedAgain[kind] += 1;
        if (this.#refusedAgain[kind] === maxRefusedAgain) this.#closed(error);
      }
      throw error;
    }
  }

  /**
   * Returns the client after `lost`; all callers share one renewal. @throws {McpError} sessionLost
   * | any code of starting
   */
  #renew(lost: McpClient): Promise<McpClient> {
    if (this.#client !== lost) return Promise.resolve(this.#client);
    this.#renewing ??= this.#begin().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #begin(): Promise<McpClient> {
    try {
      const now = performance.now();
      this.#renewedAt = this.#renewedAt.filter((at) => now - at < windowMs);
      const isLast = this.#isOver || this.#closing !== undefined;
      if (isLast || this.#renewedAt.length === maxRenewals) {
        throw new McpError('sessionLost', { hadNoEffect: true });
      }
      const delayMs = firstDelayMs * 2 ** (this.#renewedAt.length - 1);
      if (this.#renewedAt.length > 0) await this.#wait(delayMs);
      this.#renewedAt.push(performance.now());
      this.#client = await this.#connect(this.#ending.token);
    } catch (error) {
      const failure = toMcpError(error);
      this.#closed(failure);
      throw failure;
    }
    this.#follow(this.#client);
    this.#onDidChangeTools.fire();
    this.#onDidChangePrompts.fire();
    this.resources.renewed();
    return this.#client;
  }

  /** @throws {McpError} cancelled when this is closed meanwhile */
  #wait(delayMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, delayMs);
    });
    return raceCancellation(passed, this.#ending.token).finally(() => clearTimeout(timer));
  }

  #follow(client: McpClient): void {
    for (const subscription of this.#subscriptions.splice(0)) subscription.dispose();
    this.#subscriptions.push(
      client.onDidChangeTools(() => this.#onDidChangeTools.fire()),
      client.onDidChangePrompts(() => this.#onDidChangePrompts.fire()),
      ...this.resources.follow(client.resources),
      client.onDidClose((error) => {
        if (!isMcpError(error, 'sessionLost')) this.#closed(error);
        // Renew even without a pending request: the server's notifications arrive through the
        // session.
        else void this.#renew(client).catch(() => undefined);
      }),
    );
  }

  #closed(error: McpError | undefined): void {
    this.#isOver = true;
    this.#onDidClose.fire(error);
    this.#onDidClose.dispose();
  }
}

/**
 * @throws {McpError} sessionLost only if sending it again repeats no effect | the errors of `send`
 */
async function once<T>(
  send: (client: McpClient) => Promise<T>,
  client: McpClient,
  isRepeatable: boolean,
): Promise<T> {
  try {
    return await send(client);
  } catch (error) {
    const isUnknown = isMcpError(error, 'sessionLost') && error.facts.hadNoEffect !== true;
    if (isUnknown && !isRepeatable) throw new McpError('connectionLost', error.facts);
    throw error;
  }
}
