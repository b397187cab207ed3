import type { ServerResponse } from 'node:http';
import { HttpServer, type Received } from './httpServer';

/** A task of the server, as the wire of its era has it but for the names of two members. */
interface Task {
  readonly id: string;
  readonly tool: string;
  /** Absent: the era has none. */
  readonly session: string | undefined;
  status: 'working' | 'input_required' | 'completed' | 'cancelled';
  statusMessage: string;
  /** What was answered to its question. */
  answers: unknown;
}

interface TaskServerOptions {
  readonly era: 'stateful' | 'stateless';
  /** In milliseconds; `null`: without limit. */
  readonly ttlMs?: number | null;
  /** Of the stateful era. Default: yes. */
  readonly declaresTasks?: boolean;
  /** Behind the title of each tool. */
  readonly suffix?: string;
}

const tools = [
  { name: 'long', title: 'Long Work', taskSupport: 'required' },
  { name: 'either', title: 'Long or Short Work', taskSupport: 'optional' },
  { name: 'ask', title: 'Asking Work', taskSupport: 'required' },
].map(({ taskSupport, ...tool }) => ({
  ...tool,
  inputSchema: { type: 'object' },
  execution: { taskSupport },
}));
const question = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Which colour?',
    requestedSchema: { type: 'object', properties: { colour: { type: 'string' } } },
  },
};

/**
 * Tasks over HTTP in either era, whose work ends when the test says so. Those of the stateful era are
 * known in the session that created them alone, and end with it. In the stateless one `ask` asks.
 */
export class TaskServer {
  readonly tasks: Task[] = [];
  readonly sessions = new Set<string>();
  /** What `tasks/list` has beside the tasks of the session; `never`: it is not answered. */
  listed: readonly object[] | 'never' = [];
  /** The HTTP status that it answers any question about a task with; absent: it answers them. */
  failure: number | undefined;
  /** Runs before a call is answered. */
  onCall: () => void = () => undefined;
  readonly #http: HttpServer;
  readonly #options: TaskServerOptions;
  #count = 0;
  readonly #waiting: { readonly task: Task; readonly answer: () => void }[] = [];

  private constructor(http: HttpServer, options: TaskServerOptions) {
    this.#http = http;
    this.#options = options;
  }

  static async start(options: TaskServerOptions): Promise<TaskServer> {
    const server: TaskServer = new TaskServer(
      await HttpServer.start((request, response) => server.#handle(request, response)),
      options,
    );
    return server;
  }

  get url(): string {
    return this.#http.url;
  }

  get received(): readonly Received[] {
    return this.#http.received;
  }

  /** How often a request of this method came. */
  count(method: string): number {
    return this.received.filter(({ message }) => message.method === method).length;
  }

  arrival(method: string): Promise<Received> {
    return this.#http.arrival(({ message }) => message.method === method);
  }

  /** The work of every task is done. */
  finish(): void {
    for (const task of this.tasks) if (task.status === 'working') task.status = 'completed';
    for (const { task, answer } of this.#waiting.splice(0)) {
      if (task.status !== 'working') answer();
    }
  }

  /** As after a restart: no session and no task is known. */
  forget(): void {
    this.tasks.splice(0);
    this.sessions.clear();
  }

  stop(): Promise<void> {
    return this.#http.stop();
  }

  #handle({ httpMethod, message, headers }: Received, response: ServerResponse): void {
    const session = headers['mcp-session-id']?.toString();
    const isKnown = session === undefined || this.sessions.has(session);
    if (httpMethod === 'DELETE') {
      this.sessions.delete(session ?? '');
      response.writeHead(200).end();
    } else if (httpMethod !== 'POST') response.writeHead(isKnown ? 405 : 404).end();
    else if (!isKnown) response.writeHead(404).end();
    else if (message.id === undefined) response.writeHead(202).end();
    else this.#answer(message, session, response);
  }

  #answer(message: Received['message'], session: string | undefined, to: ServerResponse): void {
    const reply = (result: object, headers: Record<string, string> = {}) => {
      const whole = this.#isStateless ? { resultType: 'complete', ...result } : result;
      to.writeHead(200, { 'Content-Type': 'application/json', ...headers });
      to.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: whole }));
    };
    const fail = (code: number, text: string, status = 200) => {
      to.writeHead(status, { 'Content-Type': 'application/json' });
      to.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code, message: text } }));
    };
    const params = message.params ?? {};
    const task = this.tasks.find(({ id, session: own }) => id === params.taskId && own === session);
    switch (message.method) {
      case 'server/discover':
        return this.#isStateless ? reply(discovered) : fail(-32601, 'Method not found', 400);
      case 'initialize':
        if (this.#isStateless) return fail(-32022, 'Unsupported protocol version', 400);
        return reply(this.#initialized, { 'mcp-session-id': this.#newSession() });
      case 'tools/list':
        return reply({ tools: this.#tools, ttlMs: 0, cacheScope: 'private' });
      case 'tools/call':
        this.onCall();
        return reply(this.#call(String(params.name), params.task !== undefined, session));
      case 'tasks/get':
        if (this.failure !== undefined) return void to.writeHead(this.failure).end();
        return task === undefined ? fail(-32602, 'Unknown task') : reply(this.#stateOf(task));
      case 'tasks/result':
        if (task === undefined) return fail(-32602, 'Unknown task');
        if (task.status !== 'working') return reply(resultOf(task));
        this.#waiting.push({ task, answer: () => reply(resultOf(task)) });
        return undefined;
      case 'tasks/list':
        if (this.listed === 'never') return undefined;
        return reply({ tasks: [...this.#tasksOf(session), ...this.listed] });
      case 'tasks/update':
        if (task === undefined) return fail(-32602, 'Unknown task');
        task.answers = params.inputResponses;
        task.status = 'working';
        return reply({});
      case 'tasks/cancel':
        if (task === undefined) return fail(-32602, 'Unknown task');
        task.status = 'cancelled';
        return reply(this.#isStateless ? {} : this.#stateOf(task));
      case undefined:
      default:
        return fail(-32601, 'Method not found', this.#isStateless ? 404 : 200);
    }
  }

  get #tools(): readonly object[] {
    const { suffix = '' } = this.#options;
    return tools.map((tool) => ({ ...tool, title: `${tool.title}${suffix}` }));
  }

  get #initialized(): object {
    if (this.#options.declaresTasks !== false) return initialized;
    return { ...initialized, capabilities: { tools: {} } };
  }

  #tasksOf(session: string | undefined): object[] {
    const own = this.tasks.filter((task) => task.session === session);
    return own.map((task) => this.#stateOf(task));
  }

  get #isStateless(): boolean {
    return this.#options.era === 'stateless';
  }

  #newSession(): string {
    this.#count += 1;
    const id = `session-${this.#count}`;
    this.sessions.add(id);
    return id;
  }

  #call(tool: string, isAugmented: boolean, session: string | undefined): object {
    if (!this.#isStateless && !isAugmented) {
      return { content: [{ type: 'text', text: `${tool} without a task` }] };
    }
    this.#count += 1;
    const task: Task = {
      id: `task-${this.#count}`,
      tool,
      session,
      status: tool === 'ask' && this.#isStateless ? 'input_required' : 'working',
      statusMessage: 'Digging…',
      answers: undefined,
    };
    this.tasks.push(task);
    const state = this.#stateOf(task);
    return this.#isStateless ? { ...state, resultType: 'task' } : { task: state };
  }

  #stateOf(task: Task): object {
    const { ttlMs = 600_000 } = this.#options;
    const names = this.#isStateless
      ? { ttlMs, pollIntervalMs: 500 }
      : { ttl: ttlMs, pollInterval: 500 };
    return {
      taskId: task.id,
      status: task.status,
      statusMessage: task.statusMessage,
      createdAt: '2026-01-01T00:00:00Z',
      lastUpdatedAt: '2026-01-01T00:00:00Z',
      ...names,
      ...(task.status === 'input_required' ? { inputRequests: { colour: question } } : {}),
      ...(this.#isStateless && task.status === 'completed' ? { result: resultOf(task) } : {}),
    };
  }
}

function resultOf({ tool, answers }: Task): object {
  const said = answers === undefined ? '' : ` after ${JSON.stringify(answers)}`;
  return { content: [{ type: 'text', text: `result of ${tool}${said}` }] };
}

const serverInfo = { name: 'tasks', version: '1.0.0' };
const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
  serverInfo,
};
const discovered = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
};
