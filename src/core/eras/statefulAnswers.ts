import { CancellationTokenSource, type CancellationToken } from 'vscode-jsonrpc/node';
import { relatedTaskMeta, OpenTasks } from '../tasks/statefulTasks';
import type { EraContext, EraSink } from './era';
import { isMcpError } from '../errors';
import { parseElicitation } from '../input/elicitation';
import { parseUpdatedUri } from '../parse/parseResults';
import { RequestRefused } from '../rpc/serverRequests';
import { isObject } from '../json/shapes';
import type { StatefulRevision } from '../types';

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
    if (method === 'notifications/tools/list_changed') events.toolsChanged();
    else if (method === 'notifications/message') events.logged(params);
    else if (method === 'notifications/resources/list_changed') {
      this.onResourcesChanged();
      events.resourcesChanged();
    } else if (method === 'notifications/prompts/list_changed') {
      this.onPromptsChanged();
      events.promptsChanged();
    } else if (method === 'notifications/resources/updated') {
      const uri = parseUpdatedUri(params);
      if (uri !== undefined) events.resourceUpdated(uri);
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
    const source = new CancellationTokenSource();
    const listeners = [token, task?.over].map((each) =>
      each?.onCancellationRequested(() => source.cancel()),
    );
    // The server's answers wait for this one, but a question of a task blocks no call.
    const resume = task === undefined ? rpc.pauseDeadlines() : undefined;
    try {
      const origin = task && { tool: task.tool, taskId: task.taskId };
      const asked = { ...request, ...origin };
      // Every message of a task names its task.
      return { ...(await input.ask(asked, source.token)), ...relatedTaskMeta(params) };
    } catch (error) {
      // The call that this question belongs to no longer waits.
      if (task?.over.isCancellationRequested === true) return { action: 'cancel' };
      if (!isMcpError(error, 'inputNotPossible')) throw error;
      throw new RequestRefused(internalError, 'Too many questions at once');
    } finally {
      resume?.();
      for (const listener of listeners) listener?.dispose();
    }
  }
}
