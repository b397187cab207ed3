import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { isObject } from '../../src/core/json/shapes';
import type { RecordedMessage } from '../../src/core/recording/recordedLine';

/** A server as a process, asked message by message as no client of ours does; keeps what was exchanged. */
export class RawServer {
  readonly messages: (RecordedMessage & { readonly message: object })[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<unknown, (answer: object) => void>();
  #id = 0;

  constructor(command: string, args: readonly string[]) {
    this.#child = spawn(command, args);
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const message: unknown = JSON.parse(line);
      if (!isObject(message)) return;
      this.#note('client', message);
      if (message['method'] === undefined) this.#waiting.get(message['id'])?.(message);
    });
  }

  async handshake(): Promise<object> {
    const answer = await this.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { tasks: { list: {}, cancel: {} } },
      clientInfo: { name: 'raw', version: '1' },
    });
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer;
  }

  ask(method: string, params: object): Promise<object> {
    this.#id += 1;
    const id = this.#id;
    const answered = new Promise<object>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ jsonrpc: '2.0', id, method, params });
    return answered;
  }

  async end(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.stdin.end();
    this.#child.kill();
    await exited;
  }

  #send(message: object): void {
    this.#note('server', message);
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #note(to: RecordedMessage['to'], message: object): void {
    this.messages.push({ at: this.messages.length, server: 's', to, message });
  }
}
