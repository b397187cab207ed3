import { clientCapabilities, usableCapabilities } from './clientCapabilities';
import type { EraContext, Session, EraSink } from './era';
import { McpError, toMcpError, isMcpError } from '../errors';
import {
  parseInitializeResult,
  type InitializeResult,
  parseUpdatedUri,
} from '../parse/parseResults';
import { noCommonRevisionError, versionsInError } from './statelessMeta';
import { statefulRevisions, type StatefulRevision } from '../types';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { LinkedCancellationSource } from '../rpc/cancellation';
import { relatedTaskMeta, OpenTasks } from '../tasks/statefulTasks';
import { parseElicitation } from '../input/elicitation';
import { RequestRefused } from '../rpc/serverRequests';
import { isObject } from '../json/shapes';

/**
 * Sends `initialize` and `notifications/initialized`.
 * @throws {McpError} unsupportedRevision | what `Rpc.request` throws
 */
export async function handshake(
  context: EraContext,
  answers: StatefulAnswers,
  offer: StatefulRevision,
  timeoutMs: number,
): Promise<Session> {
  const result = await initializeAny(context, offer, timeoutMs);
  const revision = newestStateful([result.protocolVersion]);
  if (revision === undefined) throw noCommonRevisionError([result.protocolVersion]);
  answers.revision = revision;
  context.rpc.notify('notifications/initialized');
  const { protocolVersion: _, ...rest } = result;
  return usableCapabilities({ revision, ...rest }, context.claimed);
}

/**
 * Offers another revision after a refusal: the newest that the server names, or else the
 * older ones in turn. Each is offered once, all within the same time limit.
 * @throws {McpError} the first refusal, if no revision is accepted
 */
async function initializeAny(
  context: EraContext,
  offer: StatefulRevision,
  timeoutMs: number,
): Promise<InitializeResult> {
  const startedAt = performance.now();
  const tried: StatefulRevision[] = [];
  let refusal: McpError | undefined;
  for (let next: StatefulRevision | undefined = offer; next !== undefined;) {
    tried.push(next);
    const leftMs = Math.max(timeoutMs - (performance.now() - startedAt), 1);
    try {
      return await initialize(context, next, leftMs);
    } catch (error) {
      const failure = toMcpError(error);
      const versions = versionsInError(failure);
      const isRefusal = versions !== undefined || refusesRevision(failure);
      // If the server exits after refusing one, the refusal tells more.
      if (!isRefusal) throw failure.code === 'cancelled' ? failure : (refusal ?? failure);
      refusal ??= failure;
      if (versions !== undefined && newestStateful(versions) === undefined) {
        throw noCommonRevisionError(versions, failure);
      }
      const known = versions ?? statefulRevisions.slice(statefulRevisions.indexOf(next));
      next = newestStateful(known.filter((version) => !tried.some((each) => each === version)));
    }
  }
  throw refusal ?? new McpError('unsupportedRevision');
}

/** True if the server's message says that it does not support the offered revision. */
function refusesRevision({ code, facts: { detail = '' } }: McpError): boolean {
  if (code !== 'serverError' && code !== 'httpError') return false;
  return /protocol\s*-?version|protocol revision|\bunsupported (?:version|revision)\b/i.test(
    detail,
  );
}

/** Returns the newest of `versions` that begins with this handshake. */
export function newestStateful(versions: readonly string[]): StatefulRevision | undefined {
  return statefulRevisions.find((known) => versions.includes(known));
}

function initialize(
  context: EraContext,
  protocolVersion: StatefulRevision,
  timeoutMs: number,
): Promise<InitializeResult> {
  const { rpc, clientInfo } = context;
  const capabilities = clientCapabilities(context, protocolVersion);
  const params = { protocolVersion, capabilities, clientInfo };
  return rpc.request('initialize', params, parseInitializeResult, {
    timeoutMs,
    isUncancellable: true,
  });
}

const methodNotFound = -32601;
const invalidParams = -32602;
const internalError = -32603;

const withElicitation: readonly StatefulRevision[] = ['2025-11-25', '2025-06-18'];

/** Handles the requests and notifications of a stateful server. */
export class StatefulAnswers implements EraSink {
  readonly #context: EraContext;
  /** Calls that wait for tasks, whose questions come as requests of the server. */
  readonly tasks = new OpenTasks();
  /** Before it is negotiated, only `ping` and log messages are allowed. */
  revision: StatefulRevision | undefined;
  /** Invalidates cached lists before the change is reported. */
  onResourcesChanged: () => void = () => undefined;
  onPromptsChanged: () => void = () => undefined;

  constructor(context: EraContext) {
    this.#context = context;
  }

  take(method: string, params: unknown): void {
    const { events, input } = this.#context;
    if (method === 'notifications/tools/list_changed') events.toolsChanged.fire();
    else if (method === 'notifications/message') events.logged(params);
    else if (method === 'notifications/resources/list_changed') {
      this.onResourcesChanged();
      events.resourcesChanged.fire();
    } else if (method === 'notifications/prompts/list_changed') {
      this.onPromptsChanged();
      events.promptsChanged.fire();
    } else if (method === 'notifications/resources/updated') {
      const uri = parseUpdatedUri(params);
      if (uri !== undefined) events.resourceUpdated.fire(uri);
    } else if (method === 'notifications/elicitation/complete' && isObject(params)) {
      input?.complete(params.elicitationId);
    }
  }

  /**
   * Every request gets an answer; undeclared methods get -32601.
   * @throws {RequestRefused}
   */
  answer(method: string, params: unknown, token: CancellationToken): object | Promise<object> {
    switch (method) {
      case 'ping':
        return {};
      case 'elicitation/create':
        return this.#elicit(params, token);
      case 'roots/list':
        return this.#roots(token);
      case 'sampling/createMessage':
        throw new RequestRefused(
          methodNotFound,
          'Sampling is not supported: this client has no language model',
        );
      default:
        throw new RequestRefused(methodNotFound, 'Method not found');
    }
  }

  #roots(token: CancellationToken): Promise<object> {
    const { input } = this.#context;
    if (input === undefined || !input.hasRoots || this.revision === undefined) {
      throw new RequestRefused(methodNotFound, 'Roots are not supported');
    }
    return input.listRoots(token);
  }

  async #elicit(params: unknown, token: CancellationToken): Promise<object> {
    const { input, rpc } = this.#context;
    const hasElicitation = withElicitation.some((revision) => revision === this.revision);
    if (input?.canElicit !== true || !hasElicitation) {
      throw new RequestRefused(methodNotFound, 'Elicitation is not supported');
    }
    const request = parseElicitation(params);
    if (typeof request === 'string') throw new RequestRefused(invalidParams, request);
    // URL mode came a revision later than elicitation, and is not declared before.
    if (request.mode === 'url' && this.revision !== '2025-11-25') {
      throw new RequestRefused(invalidParams, 'URL mode is not supported');
    }
    const task = this.tasks.of(params);
    const source = new LinkedCancellationSource(token, task?.over);
    // The server's answers wait for this one, but a question of a task blocks no call.
    const resume = task === undefined ? rpc.pauseDeadlines() : undefined;
    try {
      const origin = task && { tool: task.tool, taskId: task.taskId };
      const asked = { ...request, ...origin };
      // Every message of a task names its task.
      return { ...(await input.ask(asked, source.token)), ...relatedTaskMeta(params) };
    } catch (error) {
      // The call that this question belongs to no longer waits.
      if (task?.over.isCancellationRequested === true) {
        return { action: 'cancel', ...relatedTaskMeta(params) };
      }
      if (!isMcpError(error, 'inputNotPossible')) throw error;
      throw new RequestRefused(internalError, 'Too many questions at once');
    } finally {
      resume?.();
      source.dispose();
    }
  }
}
