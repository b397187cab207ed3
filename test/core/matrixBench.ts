import path from 'node:path';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { McpClient } from '../../src/core/client';
import { connectHttp } from '../../src/core/http/connectHttp';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import type { ElicitationRequest, ElicitationResult } from '../../src/core/input/elicitation';
import type { InputHandler, Root } from '../../src/core/input/inputHandler';
import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import type { Revision } from '../../src/core/types';
import { statelessRevisions } from '../../src/core/types';
import { bundled } from '../servers/bundled';
import { MatrixHttp, servings } from '../servers/matrixHttp';
import { clientInfo } from './connections';
import { RecordingLog } from './wire';

export type TransportName = 'stdio' | 'HTTP, sessions' | 'HTTP, stateless' | 'HTTP+SSE';

/** One row of the matrix: what the server speaks, over what, and what it is built with. */
export interface Row {
  readonly revision: Revision;
  readonly transport: TransportName;
  readonly sdk: 1 | 2;
}

/** A log that hears what the server tells the test. */
class Facts extends RecordingLog {
  readonly #told: string[] = [];
  #look: () => void = () => undefined;

  readonly notify = (fact: string): void => {
    this.#told.push(fact);
    this.#look();
  };

  override stderr(line: string): void {
    super.stderr(line);
    if (line.startsWith('fact: ')) this.notify(line.slice('fact: '.length));
  }

  fromServer(level: string, text: string): void {
    this.notify(`log, ${level}: ${text}`);
  }

  /** Resolves when the server tells it; each telling counts once. */
  until(fact: string): Promise<void> {
    return new Promise((resolve) => {
      this.#look = () => {
        const at = this.#told.indexOf(fact);
        if (at === -1) return;
        this.#told.splice(at, 1);
        this.#look = () => undefined;
        resolve();
      };
      this.#look();
    });
  }
}

/** The person and the host behind the client. */
class Person implements InputHandler {
  answer: ElicitationResult = { action: 'cancel' };
  readonly asked: ElicitationRequest[] = [];

  elicit(request: ElicitationRequest, _token: CancellationToken): Promise<ElicitationResult> {
    this.asked.push(request);
    return Promise.resolve(this.answer);
  }

  roots(): Promise<readonly Root[]> {
    return Promise.resolve([{ uri: 'file:///a%20folder', name: 'a folder' }]);
  }
}

const stdioServer = path.resolve(__dirname, '../servers/matrixStdio.ts');

/** A server of one row, and the client that is connected to it. */
export class Bench {
  readonly facts = new Facts();
  readonly person = new Person();
  readonly row: Row;
  readonly #processes = new LiveProcesses();
  #host: MatrixHttp | undefined;
  #client: McpClient | undefined;

  constructor(row: Row) {
    this.row = row;
  }

  get client(): McpClient {
    if (this.#client === undefined) throw new Error('it could not be connected to');
    return this.#client;
  }

  /** Requests that the server still sees open; processes that still live. */
  get left(): number {
    return (this.#host?.open ?? 0) + this.#processes.pids.length;
  }

  async connect(): Promise<void> {
    const common = {
      clientInfo,
      log: this.facts,
      input: this.person,
      logLevel: 'info',
      limits: { stdinMs: 5_000, requestTimeoutMs: 8_000 },
    } as const;
    const { transport, sdk, revision } = this.row;
    if (transport === 'stdio') {
      this.#client = await connectStdio({
        ...common,
        command: process.execPath,
        args: [bundled(stdioServer), String(sdk), revision],
        env: {},
        processes: this.#processes,
      });
      return;
    }
    this.#host = await MatrixHttp.start(this.#serving(), this.facts.notify);
    this.#client = await connectHttp({ ...common, url: this.#host.url });
  }

  #serving() {
    const { transport, sdk, revision } = this.row;
    const { notify } = this.facts;
    if (isStateless(revision)) return servings.bothEras2(notify);
    if (transport === 'HTTP+SSE') return servings.sse1(revision, notify);
    const hasSessions = transport === 'HTTP, sessions';
    if (sdk === 1) return servings[hasSessions ? 'sessions1' : 'stateless1'](revision, notify);
    return servings[hasSessions ? 'sessions2' : 'stateless2'](revision, notify);
  }

  async stop(): Promise<void> {
    await this.#client?.close();
    await this.#host?.stop();
    // A test that failed on its way may leave some, and they would hold the run.
    this.#processes.killNow();
  }
}

export function isStateless(revision: Revision): revision is (typeof statelessRevisions)[number] {
  return statelessRevisions.some((known) => known === revision);
}
