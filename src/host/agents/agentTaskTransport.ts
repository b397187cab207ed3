import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { isObject, type UnknownObject } from '../../core/json/shapes';
import { tasksExtension } from '../../core/parse/parseResults';
import { statelessRevisions } from '../../core/types';
import type { AgentTasks } from './agentTasks';
import { clientNameOf } from './clientName';

const prefix = 'io.modelcontextprotocol/';
const invalidParams = -32_602;
const missingCapability = -32_021;

/** Whether a request of the stateless era declares the extension for tasks. */
export function declaresTasks(meta: unknown): boolean {
  const { [`${prefix}clientCapabilities`]: capabilities } = isObject(meta) ? meta : {};
  const { extensions } = isObject(capabilities) ? capabilities : {};
  return isObject(extensions) && isObject(extensions[tasksExtension]);
}

/**
 * Answers requests about tasks of agents of 2026-07-28, which the SDK does not know; passes on
 * everything else. `path` is what the agent is connected to: handles are good for it alone.
 */
export class AgentTaskTransport implements Transport {
  readonly #inner: Transport;
  readonly #tasks: AgentTasks;
  readonly #path: string;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;

  constructor(inner: Transport, tasks: AgentTasks, path: string) {
    this.#inner = inner;
    this.#tasks = tasks;
    this.#path = path;
  }

  start(): Promise<void> {
    Object.assign(this.#inner, {
      onclose: () => this.onclose?.(),
      onerror: (error: Error) => this.onerror?.(error),
      onmessage: (...[message, extra]: Parameters<NonNullable<Transport['onmessage']>>) => {
        const answer = this.#answer(message);
        if (answer === undefined) this.onmessage?.(message, extra);
        else void this.#inner.send(answer);
      },
    });
    return this.#inner.start();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { result }: { readonly result?: unknown } = 'result' in message ? message : {};
    if (!('result' in message) || !isObject(result) || result['resultType'] !== 'task') {
      return this.#inner.send(message);
    }
    const { content: _, ...task } = message.result;
    return this.#inner.send({ ...message, result: task });
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #answer(message: JSONRPCMessage): JSONRPCMessage | undefined {
    if (!('method' in message) || !('id' in message) || !methods.has(message.method)) {
      return undefined;
    }
    const { id, method } = message;
    const params: UnknownObject = isObject(message.params) ? message.params : {};
    const { taskId, _meta: meta } = params;
    const { [`${prefix}protocolVersion`]: revision } = isObject(meta) ? meta : {};
    if (revision !== statelessRevisions[0]) return undefined;
    const fail = (code: number, text: string, data?: object): JSONRPCMessage => ({
      jsonrpc: '2.0',
      id,
      error: { code, message: text, ...(data === undefined ? {} : { data }) },
    });
    if (!declaresTasks(meta)) {
      const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
      return fail(missingCapability, 'The extension for tasks is needed', { requiredCapabilities });
    }
    const owner = ownerOf(this.#path, clientNameOf(meta));
    const facts = typeof taskId === 'string' ? this.#tasks.get(owner, taskId) : undefined;
    if (typeof taskId !== 'string' || facts === undefined) {
      return fail(invalidParams, 'There is no such task of yours, or it was kept long enough');
    }
    if (method === 'tasks/cancel') this.#tasks.cancel(owner, taskId);
    // The person is asked what servers want to know, so there is nothing to update.
    const result = method === 'tasks/get' ? facts : {};
    return { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } };
  }
}

const methods: ReadonlySet<string> = new Set(['tasks/get', 'tasks/update', 'tasks/cancel']);

/** Whose a task is: the name is what the agent calls itself, and only who has the token may say it. */
export function ownerOf(path: string, client: string): string {
  return JSON.stringify([path, client]);
}
