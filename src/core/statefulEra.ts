import { CancellationToken } from 'vscode-jsonrpc/node';
import type { Disposable } from 'vscode-jsonrpc/node';
import type { CallOptions, ListOptions, RequestOptions } from './client';
import { parseRequiredElicitations } from './elicitation';
import type { Era, EraContext, Session } from './era';
import { isMcpError, McpError, toMcpError } from './errors';
import { listAllTools } from './listTools';
import { parseReadResult, parseToolPage, parseToolResult } from './parseResults';
import type { RequestParams } from './rpc';
import { StatefulAnswers } from './statefulAnswers';
import { handshake } from './statefulHandshake';
import type { ResourceContents, StatefulRevision, ToolList, ToolResult } from './types';

const browserStepRequired = -32042;

/**
 * The revisions that begin with the initialize handshake. They differ in what messages may hold,
 * not in how they are exchanged, and every older form is a subset.
 *
 * Spec: 2025-11-25 basic/lifecycle
 */
export class StatefulEra implements Era {
  readonly kind = 'stateful';
  readonly session: Session;
  readonly #context: EraContext;
  readonly #answers: StatefulAnswers;
  readonly #rootsListener: Disposable | undefined;
  #reopening: Promise<void> | undefined;

  private constructor(context: EraContext, answers: StatefulAnswers, session: Session) {
    this.#context = context;
    this.#answers = answers;
    this.session = session;
    this.#rootsListener = context.input?.onDidChangeRoots?.(() =>
      context.rpc.notify('notifications/roots/list_changed'),
    );
    this.#askForLog();
  }

  /**
   * Agrees with the server on a revision, offering `offer` first. A cancelled token does not
   * settle it: whoever cancels ends the connection, which does.
   * @throws {McpError} unsupportedRevision | what `Rpc.request` throws
   */
  static async open(
    context: EraContext,
    offer: StatefulRevision,
    timeoutMs: number,
  ): Promise<StatefulEra> {
    const answers = new StatefulAnswers(context);
    context.enter(answers, 'answer');
    const session = await handshake(context, answers, offer, timeoutMs);
    return new StatefulEra(context, answers, session);
  }

  /** Keeps no list: what such a server said holds until it says otherwise, to its keeper. */
  listTools(options: ListOptions | undefined): Promise<ToolList> {
    return listAllTools((cursor) =>
      this.#send('tools/list', cursor === undefined ? {} : { cursor }, parseToolPage, options),
    );
  }

  callTool(
    name: string,
    args: object | undefined,
    options: CallOptions | undefined,
  ): Promise<ToolResult> {
    const params = args === undefined ? { name } : { name, arguments: args };
    return this.#send('tools/call', params, parseToolResult, options);
  }

  readResource(
    uri: string,
    options: RequestOptions | undefined,
  ): Promise<readonly ResourceContents[]> {
    const parse = (result: unknown) => parseReadResult(result, uri);
    return this.#send('resources/read', { uri }, parse, options);
  }

  ping(options: RequestOptions | undefined): Promise<void> {
    return this.#send('ping', {}, () => undefined, options);
  }

  dispose(): void {
    this.#rootsListener?.dispose();
  }

  async #send<T>(
    method: string,
    params: RequestParams,
    parse: (result: unknown) => T,
    options: CallOptions | undefined,
  ): Promise<T> {
    const { rpc } = this.#context;
    try {
      return await rpc.request(method, params, parse, options);
    } catch (error) {
      if (isBrowserStep(error)) await this.#askForBrowserStep(error, options);
      if (!isMcpError(error, 'sessionLost')) throw error;
    }
    // The request that found the session gone had no effect: once more, in a new one.
    await this.#reopen();
    return rpc.request(method, params, parse, options);
  }

  /** Begins a new session, one for all requests that found the old one gone. */
  #reopen(): Promise<void> {
    this.#reopening ??= this.#handshakeAgain().finally(() => (this.#reopening = undefined));
    return this.#reopening;
  }

  async #handshakeAgain(): Promise<void> {
    const { rpc, log, limits, events } = this.#context;
    const { revision } = this.session;
    log.info('the server forgot the session; beginning a new one');
    try {
      const offer = this.#answers.revision ?? '2025-11-25';
      const session = await handshake(this.#context, this.#answers, offer, limits.startTimeoutMs);
      if (session.revision !== revision) throw new McpError('sessionLost');
    } catch (error) {
      // Not the server that it was: whoever wants it starts it anew.
      rpc.end(toMcpError(error), 'atOnce');
      throw error;
    }
    this.#askForLog();
    events.toolsChanged();
  }

  #askForLog(): void {
    const { rpc, log, logLevel } = this.#context;
    if (logLevel === undefined || !this.session.capabilities.logging) return;
    rpc
      .request('logging/setLevel', { level: logLevel }, () => undefined)
      .catch((error: unknown) => log.info(`logging/setLevel: ${toMcpError(error).message}`));
  }

  /**
   * Shows the person each address that the server wants visited; when all is done there, the call
   * is theirs to repeat.
   * @throws {McpError} browserStepRequired | cancelled
   */
  async #askForBrowserStep(error: McpError, options: CallOptions | undefined): Promise<never> {
    const token = options?.token ?? CancellationToken.None;
    const steps = parseRequiredElicitations(error.facts.rpcData);
    const { input } = this.#context;
    for (const step of steps) await input?.ask(step, token);
    throw new McpError('browserStepRequired', { ...error.facts, cause: error });
  }
}

function isBrowserStep(error: unknown): error is McpError {
  return isMcpError(error, 'serverError') && error.facts.rpcCode === browserStepRequired;
}
