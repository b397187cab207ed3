import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { Emitter } from 'vscode-jsonrpc/node';
import { McpError, toMcpError, type McpErrorFacts } from '../../src/core/errors';
import type { ConnectionLog } from '../../src/core/log';
import { NdjsonReader } from '../../src/core/stdio/ndjsonReader';
import { NdjsonWriter } from '../../src/core/stdio/ndjsonWriter';
import { Rpc } from '../../src/core/rpc/rpc';
import type { RpcLimits } from '../../src/core/rpc/pendingRequests';
import type { AnswerRequest } from '../../src/core/rpc/serverRequests';
import { RequestRefused } from '../../src/core/rpc/serverRequests';
import type { Transport } from '../../src/core/rpc/transport';

/** A log that keeps what it is told. */
export class RecordingLog implements ConnectionLog {
  readonly lines: string[] = [];
  readonly stderrLines: string[] = [];
  readonly traces: string[] = [];
  isOn = false;

  info(text: string): void {
    this.lines.push(`info ${text}`);
  }
  warn(text: string): void {
    this.lines.push(`warn ${text}`);
  }
  error(text: string): void {
    this.lines.push(`error ${text}`);
  }
  stderr(line: string): void {
    this.stderrLines.push(line);
  }
  trace(direction: 'sent' | 'received', json: string): void {
    this.traces.push(`${direction} ${json}`);
  }
  isTracing(): boolean {
    return this.isOn;
  }
}

export interface WireOptions extends Partial<RpcLimits> {
  readonly maxMessageBytes?: number;
  readonly answerRequest?: AnswerRequest;
}

/** One connection over two real streams whose far end is the test. */
export class Wire {
  readonly log = new RecordingLog();
  readonly garbage: string[] = [];
  readonly notifications: string[] = [];
  readonly closes: string[] = [];
  readonly toClient = new PassThrough();
  readonly fromClient = new PassThrough();
  readonly rpc: Rpc;

  constructor(options: WireOptions = {}) {
    const { maxMessageBytes = 1_000_000, requestTimeoutMs = 60_000 } = options;
    const onGarbage = (line: string) => this.garbage.push(line);
    const unreadable = new Emitter<string>();
    const transport: Transport = {
      reader: new NdjsonReader(this.toClient, {
        maxMessageBytes,
        maxMessageValues: 500_000,
        onGarbage: (line) => {
          onGarbage(line);
          unreadable.fire(line);
        },
      }),
      onUnreadableLine: unreadable.event,
      writer: new NdjsonWriter(this.fromClient, maxMessageBytes),
      explainEnd: async () => new McpError('connectionClosed', { exitCode: 7 }),
      close: async (manner) => void this.closes.push(manner),
    };
    this.rpc = new Rpc(transport, {
      log: this.log,
      limits: { requestTimeoutMs, callCeilingMs: options.callCeilingMs ?? 600_000 },
      onNotification: (method) => this.notifications.push(method),
      answerRequest:
        options.answerRequest ??
        (() => {
          throw new RequestRefused(-32601, 'Method not found');
        }),
      onGarbage,
    });
  }

  request(method = 'a', options = {}, params = {}): Promise<unknown> {
    return this.rpc.request(method, params, (result) => result, options);
  }

  /** The text that the client writes next: everything of one turn. */
  async nextText(): Promise<string> {
    if (this.fromClient.readableLength === 0) await once(this.fromClient, 'readable');
    const chunk: unknown = this.fromClient.read();
    return chunk instanceof Buffer ? chunk.toString() : '';
  }

  async nextMessages(): Promise<unknown[]> {
    const lines = (await this.nextText()).trimEnd().split('\n');
    return lines.map((line): unknown => JSON.parse(line));
  }

  send(...messages: unknown[]): void {
    this.raw(messages.map((message) => JSON.stringify(message) + '\n').join(''));
  }

  raw(text: string): void {
    this.toClient.write(text);
  }

  end(): void {
    this.rpc.end(undefined, 'orderly');
  }
}

/** Connects with each call; after each test the connections are ended. */
export function useWires(): (options?: WireOptions) => Wire {
  const all: Wire[] = [];
  afterEach(() => {
    for (const wire of all.splice(0)) wire.end();
  });
  return (options) => {
    const wire = new Wire(options);
    all.push(wire);
    return wire;
  };
}

export const answerTo = (id: unknown, result: unknown) => ({ jsonrpc: '2.0', id, result });

/** The code and the facts of the error with which a promise rejects. */
export async function failureOf(promise: Promise<unknown>): Promise<[string, McpErrorFacts]> {
  const error: unknown = await promise.then(() => assert.fail('it did not fail'), toMcpError);
  assert.ok(error instanceof McpError);
  return [error.code, { ...error.facts }];
}

/** How a promise ended, in words: `cancelled`, `serverError -32602 no such tool`, or its value. */
export function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => value,
    (error: unknown) => {
      if (!(error instanceof McpError)) return `not ours: ${String(error)}`;
      const { rpcCode, detail } = error.facts;
      return [error.code, rpcCode, detail].filter((part) => part !== undefined).join(' ');
    },
  );
}
