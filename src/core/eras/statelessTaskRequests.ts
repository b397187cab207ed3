import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { RequestOptions } from '../client';
import type { ElicitationBroker } from '../input/elicitationBroker';
import type { RequestParams } from '../rpc/rpc';
import type { TaskWire } from '../tasks/followTask';
import type { SendForTask } from '../tasks/statefulTasks';
import { statelessWire, type TaskNews } from '../tasks/statelessTasks';
import type { ServerCapabilities } from '../types';
import { checkComplete } from './statelessResult';
import type { Subscription } from './subscription';
import type { Subscriptions } from './subscriptions';

export interface StatelessTaskOptions {
  readonly send: <T>(
    method: string,
    params: RequestParams,
    parse: (result: unknown) => T,
    options: RequestOptions,
  ) => Promise<T>;
  readonly input: ElicitationBroker | undefined;
  /** Declares the extension. */
  readonly meta: RequestParams;
  readonly subscriptions: Subscriptions;
  readonly capabilities: ServerCapabilities;
}

/** The messages about tasks on one connection of the stateless era. */
export class StatelessTaskRequests {
  readonly #options: StatelessTaskOptions;

  constructor(options: StatelessTaskOptions) {
    this.#options = options;
  }

  /** Returns how a call of `tool` follows its task. */
  wire(tool: string): TaskWire {
    return statelessWire(
      (token) => this.send(token),
      { broker: this.#options.input, tool },
      (taskId, news) => this.#watch(taskId, news),
    );
  }

  send(token: CancellationToken): SendForTask {
    return (method, params, parse) =>
      this.#options.send(method, params, (result) => parse(checkComplete(result, 'task')), {
        token,
      });
  }

  #watch(taskId: string, news: TaskNews): Subscription | undefined {
    const { capabilities, subscriptions, meta } = this.#options;
    if (!capabilities.taskExtension) return undefined;
    return subscriptions.open({
      subject: 'a task',
      meta,
      filter: { taskIds: [taskId] },
      onOpen: () => undefined,
      onLost: () => news.lost(),
      onNews: (_, params) => news.notify(params),
    });
  }
}
