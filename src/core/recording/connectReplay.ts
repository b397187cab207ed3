import { Worker } from 'node:worker_threads';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { McpClient } from '../client';
import { type ConnectOptions, connectTransport } from '../connect';
import { defaultLimits } from '../eras/connectionLimits';
import { McpError } from '../errors';
import type { Transport } from '../rpc/transport';
import { NdjsonReader } from '../stdio/ndjsonReader';
import { NdjsonWriter } from '../stdio/ndjsonWriter';
import { settlesWithin } from '../bounds/valueWithin';
import { visibleText } from '../visibleText';
import { isObject } from '../json/shapes';
import type { Replay, ReplayedMessage } from './recordedServer';

export interface ConnectReplayOptions extends ConnectOptions {
  /** Path of the command line, whose `replay` command is run. */
  readonly program: string;
  readonly recording: string;
  /** The id of the server in the recording. */
  readonly server: string;
  /** Playback speed relative to the recording. */
  readonly speed: number;
}

/** Enough for a recording of the largest size. A hostile one ends only the worker thread. */
const maxHeapMiB = 2_048;
const maxStderrChars = 4_096;
/** Timeout for exiting on its own, the same as for a process. */
const stopMs = 1_500;

/**
 * Connects to a server that answers from a recording. It is a worker thread instead of a process,
 * so that reading the file neither blocks the window nor takes its memory.
 * @throws {McpError} exitedEarly | handshakeTimeout | handshakeFailed | unsupportedRevision |
 * cancelled
 */
export async function connectReplay(
  options: ConnectReplayOptions,
  token?: CancellationToken,
): Promise<McpClient> {
  if (token?.isCancellationRequested === true) throw new McpError('cancelled');
  const { recording, log, onGarbage } = options;
  log.info(`answers from the recording ${recording}`);
  const transport = threadTransport(options, onGarbage ?? (() => undefined));
  return connectTransport(transport, options, token);
}

/** The end of what a thread wrote besides its messages. */
interface Thread {
  readonly worker: Worker;
  readonly exited: Promise<number>;
  readonly stderrTail: () => string;
}

function startThread({ program, recording, server, speed }: ConnectReplayOptions): Thread {
  const worker = new Worker(program, {
    argv: ['replay', '--replay-speed', String(speed), '--', recording, server],
    env: {},
    execArgv: [],
    stdin: true,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMiB },
  });
  let stderr = '';
  const keep = (text: string): void => {
    stderr = (stderr + text).slice(-maxStderrChars);
  };
  worker.stderr.on('data', (chunk: Buffer) => keep(chunk.toString()));
  // The thread ran out of memory; its streams report the end.
  worker.on('error', (error) => keep(error.message));
  const exited = new Promise<number>((resolve) => worker.once('exit', resolve));
  // Unlike a process, an exiting thread does not close its pipe.
  void exited.then(() => worker.stdin?.destroy());
  const stderrTail = (): string => visibleText(stderr, maxStderrChars, { newlines: 'keep' });
  return { worker, exited, stderrTail };
}

function threadTransport(
  options: ConnectReplayOptions,
  onGarbage: (line: string) => void,
): Transport {
  const limits = { ...defaultLimits, ...options.limits };
  const { worker, exited, stderrTail } = startThread(options);
  const { stdin } = worker;
  if (stdin === null) throw new McpError('internal', { detail: 'a thread without input' });
  const reader = new NdjsonReader(worker.stdout, { ...limits, onGarbage });
  return {
    reader,
    writer: new NdjsonWriter(stdin, limits.maxMessageBytes),
    stderrTail,
    unfinished: () => reader.unfinished(),
    explainEnd: async () => {
      const exitCode = await exited;
      const tail = stderrTail();
      const said = tail === '' ? {} : { stderrTail: tail };
      return new McpError('connectionClosed', { exitCode, ...said });
    },
    close: async (manner) => {
      stdin.end();
      if (manner === 'orderly') await settlesWithin(exited, stopMs);
      await worker.terminate();
    },
  };
}

type Id = string | number;

/** Node fires a longer timer immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** The answer to one request, as far as it was sent. */
interface Sending {
  readonly messages: readonly ReplayedMessage[];
  next: number;
  /** The time in the recording, after its request, that was reached. */
  reachedMs: number;
  timer?: NodeJS.Timeout;
}

/**
 * Sends a replay's messages with their original delays. What followed a question of the server is
 * sent after the client has answered it.
 */
export class ReplaySession {
  readonly #replay: Pick<Replay, 'answer'>;
  readonly #speed: number | undefined;
  readonly #send: (message: object) => void;
  readonly #sendings = new Map<Id, Sending>();
  /** Open requests to the client, by their new id. */
  readonly #asked = new Map<Id, Id>();
  #questions = 0;

  /** @param speed Playback speed. If absent, messages are sent without delay. */
  constructor(
    replay: Pick<Replay, 'answer'>,
    speed: number | undefined,
    send: (message: object) => void,
  ) {
    this.#replay = replay;
    this.#speed = speed;
    this.#send = send;
  }

  /** Handles a message of the client. Never throws. */
  take(message: unknown): void {
    if (!isObject(message)) return;
    const { id, method, params } = message;
    if (method === 'notifications/cancelled' && isObject(params)) {
      if (isId(params['requestId'])) this.#end(params['requestId']);
      return;
    }
    if (!isId(id)) return;
    if (typeof method !== 'string') {
      this.#answered(id);
      return;
    }
    const messages = this.#replay.answer(message);
    this.#end(id);
    this.#sendings.set(id, { messages, next: 0, reachedMs: 0 });
    this.#goOn(id);
  }

  /** Stops sending. */
  dispose(): void {
    for (const id of this.#sendings.keys()) this.#end(id);
    this.#asked.clear();
  }

  #answered(id: Id): void {
    const request = this.#asked.get(id);
    this.#asked.delete(id);
    if (request !== undefined) this.#goOn(request);
  }

  #goOn(id: Id): void {
    for (;;) {
      const sending = this.#sendings.get(id);
      const message = sending?.messages[sending.next];
      if (sending === undefined || message === undefined) {
        this.#sendings.delete(id);
        return;
      }
      const waitMs =
        this.#speed === undefined ? 0 : (message.afterMs - sending.reachedMs) / this.#speed;
      if (waitMs > 0) {
        sending.reachedMs = message.afterMs;
        sending.timer = setTimeout(() => this.#goOn(id), Math.min(waitMs, maxTimerMs));
        return;
      }
      // Updated before sending, because the receiver may answer synchronously.
      sending.next += 1;
      sending.reachedMs = message.answeredMs ?? message.afterMs;
      if (this.#sendOne(id, message)) return;
    }
  }

  /**
   * Returns true if the message is a question that was answered in the recording, so that the rest
   * has to wait.
   */
  #sendOne(request: Id, { message, answeredMs }: ReplayedMessage): boolean {
    const isQuestion = isObject(message) && 'method' in message && 'id' in message;
    if (!isQuestion) {
      this.#send(message);
      return false;
    }
    // Two answers may ask the same question at a time.
    this.#questions += 1;
    const id = `question-${this.#questions}`;
    if (answeredMs !== undefined) this.#asked.set(id, request);
    this.#send({ ...message, id });
    return answeredMs !== undefined;
  }

  #end(id: Id): void {
    clearTimeout(this.#sendings.get(id)?.timer);
    this.#sendings.delete(id);
  }
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number';
}
