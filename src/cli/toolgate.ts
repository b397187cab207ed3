import { Socket } from 'node:net';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { isMainThread } from 'node:worker_threads';
import { version } from '../../package.json';
import { unexpectedErrorMessage } from './errorMessage';
import { exitCodes } from './exitCodes';
import { runCli } from './runCli';

/** Ends the program when the reader of a pipe is gone, as with `| head`. */
function endsWithItsReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(exitCodes.cancelled);
  });
}

async function main(): Promise<void> {
  endsWithItsReader(process.stdout);
  endsWithItsReader(process.stderr);
  process.exitCode = await runCli({
    argv: process.argv.slice(2),
    env: process.env,
    folder: process.cwd(),
    streams: process,
    terminal: process.stdin.isTTY && process.stdout.isTTY ? process.stdout : undefined,
    agentStream: () => Duplex.from({ readable: process.stdin, writable: process.stdout }),
    version,
    program: __filename,
    demoServer: path.join(__dirname, 'demoServer.js'),
    onCancel: (cancel) => {
      let isAsked = false;
      const end = (): void => {
        // A second signal does not wait for servers to end in order.
        if (isAsked) process.exit(exitCodes.cancelled);
        isAsked = true;
        cancel();
      };
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
    },
  });
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
