import spawnAny from 'cross-spawn';
import { spawn as spawnDirectly, type ChildProcess } from 'node:child_process';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import type { StdioProgram } from './findProgram';
import type { WatchedStdin } from './watchedStdin';
import { resolveLauncher } from './windowsLauncher';

/** Resolves when the previous program has started. */
let lastTurn = Promise.resolve();

/**
 * Starting a process blocks the event loop for a while, so each of many gets its own round of the
 * loop. It waits two rounds: the first one finishes current work, such as the search for its file
 * or the connection to the previous program.
 */
function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(async () => {
    await nextRound();
    await nextRound();
  });
  return lastTurn;
}

/**
 * Starts the program; resolves when the system has started it.
 * @throws {McpError} spawnFailed, also for arguments that cmd.exe would run | cancelled: before its
 * turn came, so that nothing was started
 */
export async function startChild(
  program: StdioProgram,
  watched: WatchedStdin | undefined,
  token?: CancellationToken,
): Promise<ChildProcess> {
  const direct = process.platform === 'win32' ? await resolveLauncher(program) : program;
  await ownTurn();
  if (token?.isCancellationRequested === true) throw new McpError('cancelled');
  const child = spawnChild(direct, watched);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(spawnError(direct.file, error)));
  });
  return child;
}

function spawnChild(
  { file, args, env, cwd }: StdioProgram,
  watched: WatchedStdin | undefined,
): ChildProcess {
  // For an alias of an app from its store, cross-spawn would use cmd.exe.
  const spawn = /\.(?:exe|com)$/i.test(file) ? spawnDirectly : spawnAny;
  try {
    return spawn(file, args, {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      stdio: [watched?.theirs ?? 'pipe', 'pipe', 'pipe'],
      shell: false,
      windowsHide: true,
      // Its own process group, so that a signal reaches all that it starts.
      detached: process.platform !== 'win32',
    });
  } catch (error) {
    // Arguments that no system call accepts (such as a NUL character) throw before anything starts.
    throw new McpError('spawnFailed', {
      detail: error instanceof Error ? error.message : String(error),
      cause: error,
    });
  }
}

function spawnError(file: string, error: NodeJS.ErrnoException): McpError {
  if (error.code === 'ENOENT') {
    // The file exists, so it is a script whose first line names a missing interpreter.
    return new McpError('spawnFailed', { detail: `no interpreter for ${file}`, cause: error });
  }
  return new McpError('spawnFailed', { detail: error.message, cause: error });
}
