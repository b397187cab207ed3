import { Worker } from 'node:worker_threads';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { McpClient } from '../client';
import { type ConnectOptions, connectTransport } from '../connect';
import { defaultLimits } from '../eras/connectionLimits';
import { McpError } from '../errors';
import type { Transport } from '../rpc/transport';
import { NdjsonReader } from '../stdio/ndjsonReader';
import { NdjsonWriter } from '../stdio/ndjsonWriter';
import { settlesWithin } from '../stdio/settling';
import { visibleText } from '../visibleText';

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
