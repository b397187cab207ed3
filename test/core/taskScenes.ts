import { connectHttp } from '../../src/core/http/connectHttp';
import type { CallOptions, McpClient } from '../../src/core/client';
import type { ElicitationRequest, ElicitationResult } from '../../src/core/input/elicitation';
import type { InputHandler } from '../../src/core/input/inputHandler';
import type { TaskState } from '../../src/core/tasks/taskState';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { ScriptedHttp } from '../servers/scriptedHttp';
import type { Script } from '../servers/scripted';
import { clientInfo, Connections, textOf } from './connections';
import { outcome, RecordingLog } from './wire';

/** Accepts every question with the same content, or leaves it on the screen while away. */
export class Person implements InputHandler {
  readonly asked: ElicitationRequest[] = [];
  readonly withdrawn: string[] = [];
  isAway = false;
  content: Readonly<Record<string, string | boolean>> = { name: 'Ada' };
  #look: () => void = () => undefined;

  /** Resolves with the next question. */
  isAsked(): Promise<void> {
    return new Promise((resolve) => (this.#look = resolve));
  }

  elicit(request: ElicitationRequest, token: CancellationToken): Promise<ElicitationResult> {
    this.asked.push(request);
    this.#look();
    if (!this.isAway) return Promise.resolve({ action: 'accept', content: this.content });
    return new Promise((resolve) =>
      token.onCancellationRequested(() => {
        this.withdrawn.push(request.message);
        resolve({ action: 'cancel' });
      }),
    );
  }
}

export const transports = ['stdio', 'HTTP', 'HTTP with GET'] as const;
export type TransportName = (typeof transports)[number];

/** One scripted server behind one transport, and the client that is connected to it. */
export class TaskScene {
  readonly person = new Person();
  readonly log = new RecordingLog();
  readonly #connections = new Connections();
  host: ScriptedHttp | undefined;
  #client: McpClient | undefined;

  get client(): McpClient {
    if (this.#client === undefined) throw new Error('it is not open');
    return this.#client;
  }

  async open(transport: TransportName, script: Script): Promise<void> {
    const { person: input, log } = this;
    if (transport === 'stdio') {
      this.#client = await this.#connections.to(script, { input, log });
      return;
    }
    this.host = await ScriptedHttp.start(script);
    this.#client = await connectHttp({ url: this.host.url, clientInfo, log, input });
    if (transport !== 'HTTP with GET') return;
    await this.host.listened();
    this.host.via = 'get';
  }

  /** Calls `tool` as a task; `states` is what the server says of it. */
  call(tool: string, options: CallOptions = {}) {
    const states: TaskState[] = [];
    const onTask = (task: TaskState) => {
      states.push(task);
      options.onTask?.(task);
    };
    const result = this.client.callTool(tool, {}, { isTask: true, ...options, onTask });
    return { states, result };
  }

  /** How a call ended, in one line. */
  async endOf(tool: string, options: CallOptions = {}): Promise<string> {
    const { result } = this.call(tool, options);
    const isError = (await outcome(result.then((it) => it.isError))) === true;
    return `${isError ? 'isError ' : ''}${String(await outcome(textOf(result)))}`;
  }

  async close(): Promise<void> {
    if (this.host !== undefined) await this.#client?.close();
    await this.host?.stop();
    await this.#connections.close();
  }
}
