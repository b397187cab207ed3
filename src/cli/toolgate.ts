import { Socket } from 'node:net';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { isMainThread } from 'node:worker_threads';
import { version } from '../../package.json';
import type { OutputStreams } from './cliOutput';
import { inLine, unexpectedErrorMessage } from './errorMessage';
import { type ExitCode, exitCodes } from './exitCodes';
import { runCli } from './runCli';

/** Cancels the work once, by a signal or because output can no longer be written. */
class Cancellation {
  /** The exit code after output could not be written. */
  lost: ExitCode | undefined;
  #cancel: (() => void) | undefined;
  #isCancelled = false;
  #isAsked = false;

  /** Replaces the work that is cancelled. Until the first call, signals end the program. */
  set(cancel: () => void): void {
    const isFirst = this.#cancel === undefined;
    this.#cancel = cancel;
    if (this.lost !== undefined) this.#cancelOnce();
    if (!isFirst) return;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => this.#ask());
    }
  }

  /** Cancels the work when the reader of a pipe is gone, as with `| head`, or the disk is full. */
  watch(stream: NodeJS.WriteStream): void {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (this.lost !== undefined) return;
      const isReaderGone = error.code === 'EPIPE';
      this.lost = isReaderGone ? exitCodes.cancelled : exitCodes.failed;
      process.exitCode = this.lost;
      if (!isReaderGone && stream === process.stdout) {
        const why = inLine(error.message);
        process.stderr.write(`toolgate: Standard output cannot be written: ${why}.\n`);
      }
      this.#cancelOnce();
      // A writer that waits for the reader continues.
      stream.emit('drain');
    });
  }

  #ask(): void {
    // A second signal does not wait for servers to end in order.
    if (this.#isAsked) process.exit(exitCodes.cancelled);
    this.#isAsked = true;
    this.#cancelOnce();
  }

  #cancelOnce(): void {
    if (this.#isCancelled || this.#cancel === undefined) return;
    this.#isCancelled = true;
    this.#cancel();
  }
}

async function main(): Promise<void> {
  const cancellation = new Cancellation();
  cancellation.watch(process.stdout);
  cancellation.watch(process.stderr);
  const { stdin, stderr } = process;
  const stdout: OutputStreams['stdout'] = {
    write: (text) => cancellation.lost !== undefined || process.stdout.write(text),
    once: (event, listener) => process.stdout.once(event, listener),
    isTTY: process.stdout.isTTY,
  };
  const code = await runCli({
    argv: process.argv.slice(2),
    env: process.env,
    folder: process.cwd(),
    streams: { stdin, stdout, stderr },
    terminal: process.stdin.isTTY && process.stdout.isTTY ? process.stdout : undefined,
    agentStream: () => Duplex.from({ readable: process.stdin, writable: process.stdout }),
    version,
    program: __filename,
    demoServer: path.join(__dirname, 'demoServer.js'),
    onCancel: (cancel) => cancellation.set(cancel),
  });
  process.exitCode = cancellation.lost ?? code;
  // An open standard input would keep the process alive after a cancelled command.
  if (process.stdin instanceof Socket) process.stdin.unref();
}

/** Ends a thread whose input is still open, after its output was written. */
function leaveThread(): void {
  if (isMainThread) return;
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}

main()
  .finally(leaveThread)
  .catch((error: unknown) => {
    // Exits explicitly, because a running server would keep the process alive.
    process.stderr.write(`${unexpectedErrorMessage(error)}\n`, () =>
      process.exit(exitCodes.failed),
    );
  });
