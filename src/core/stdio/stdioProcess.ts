import spawn from 'cross-spawn';
import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { McpError } from '../errors';
import type { ConnectionLog } from '../log';
import { killTreeNow, signalTree, waitForEmptyTree } from './processTree';
import { StderrLines } from './stderrLines';
import { stdioEnvironment } from './stdioEnvironment';

export interface StdioCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Beside the allow-listed part of our own environment; `null` unsets. */
  readonly env: Readonly<Record<string, string | null>>;
  readonly cwd?: string;
}

/** How long a server may take to leave, step by step. */
export interface StopTimes {
  /** From the end of its stdin to SIGTERM. */
  readonly stdinMs: number;
  /** From SIGTERM to SIGKILL, for the whole tree. */
  readonly terminateMs: number;
}

/** How long a pipe is still read after its process is gone, when something else holds it open. */
const drainMs = 500;

/** How long the exit that explains a closed pipe may take to be known. */
const explainMs = 500;

/** The processes that live: what `killNow` ends when there is no time to stop them in order. */
export class LiveProcesses {
  readonly #running = new Set<StdioProcess>();

  get pids(): readonly number[] {
    return [...this.#running].map((child) => child.pid);
  }

  add(child: StdioProcess): void {
    this.#running.add(child);
    void child.gone.then(() => this.#running.delete(child));
  }

  /** Kills them all with everything they started. Synchronous: for a process `exit` handler. */
  killNow(): void {
    for (const child of this.#running) child.killNow();
  }
}

/** One run of a stdio server as a process, without a shell between, with all that it starts. */
export class StdioProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process has exited and nothing of its tree is left, or is out of reach. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcess;
  readonly #stderr: StderrLines;
  readonly #exited: Promise<void>;
  readonly #times: StopTimes;
  #stopping: Promise<void> | undefined;
  /** From here on the process number may belong to somebody else. */
  #isGone = false;

  /**
   * Starts the program; resolves when the system has started it.
   * @throws {McpError} programNotFound | spawnFailed
   */
  static async start(
    command: StdioCommand,
    log: ConnectionLog,
    times: StopTimes,
  ): Promise<StdioProcess> {
    // The system says ENOENT for a missing folder too, which would blame the program.
    if (command.cwd !== undefined && !isFolder(command.cwd)) {
      throw new McpError('spawnFailed', { detail: `no such folder: ${command.cwd}` });
    }
    const child = startChild(command);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(spawnError(command.command, error)));
    });
    return new StdioProcess(child, log, times);
  }

  private constructor(child: ChildProcess, log: ConnectionLog, times: StopTimes) {
    const { pid, stdin, stdout, stderr } = child;
    if (pid === undefined || stdin === null || stdout === null || stderr === null) {
      throw new McpError('spawnFailed', { detail: 'the process has no pipes' });
    }
    this.#child = child;
    this.#times = times;
    this.pid = pid;
    this.stdin = stdin;
    this.stdout = stdout;
    this.#stderr = new StderrLines(stderr, (line) => log.stderr(line));
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    this.gone = this.#exited.then(() => this.#sweep());
    child.on('error', (error) => log.warn(`process ${pid}: ${error.message}`));
  }

  stderrTail(): string {
    return this.#stderr.tail();
  }

  /** `connectionClosed` with exit code, signal and stderr as far as they are known. */
  async explainEnd(): Promise<McpError> {
    await settlesWithin(this.#exited, explainMs);
    const { exitCode, signalCode } = this.#child;
    const stderrTail = this.stderrTail();
    return new McpError('connectionClosed', {
      ...(exitCode === null ? {} : { exitCode }),
      ...(signalCode === null ? {} : { signal: signalCode }),
      ...(stderrTail === '' ? {} : { stderrTail }),
    });
  }

  /**
   * The stop ladder: close stdin, wait, SIGTERM, wait, SIGKILL, the last two to the whole tree.
   * `atOnce` does not wait after stdin; it also hurries a stop under way. Joins; never rejects.
   */
  stop(manner: 'orderly' | 'atOnce'): Promise<void> {
    this.stdin.end();
    if (manner === 'atOnce' && !this.#isGone) signalTree(this.pid, 'SIGTERM');
    this.#stopping ??= this.#climbDown(manner === 'orderly' ? this.#times.stdinMs : 0);
    return this.#stopping;
  }

  killNow(): void {
    if (!this.#isGone) killTreeNow(this.pid);
  }

  async #climbDown(stdinMs: number): Promise<void> {
    if (!(await settlesWithin(this.#exited, stdinMs))) {
      signalTree(this.pid, 'SIGTERM');
      if (!(await settlesWithin(this.#exited, this.#times.terminateMs))) {
        signalTree(this.pid, 'SIGKILL');
      }
    }
    // Bounded: a process in an uninterruptible wait of the system survives even SIGKILL for a time.
    await settlesWithin(this.gone, this.#times.terminateMs + drainMs);
  }

  /** After the leader's exit: ends what it left behind, and the pipes that something may hold. */
  async #sweep(): Promise<void> {
    if (!(await waitForEmptyTree(this.pid, 0))) {
      signalTree(this.pid, 'SIGTERM');
      if (!(await waitForEmptyTree(this.pid, Math.min(drainMs, this.#times.terminateMs)))) {
        signalTree(this.pid, 'SIGKILL');
      }
    }
    this.#isGone = true;
    await settlesWithin(closed(this.stdout), drainMs);
    this.stdout.destroy();
    this.#child.stderr?.destroy();
    this.stdin.destroy();
  }
}

function startChild(command: StdioCommand): ChildProcess {
  try {
    return spawn(command.command, command.args, {
      env: stdioEnvironment(command.env),
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
      stdio: 'pipe',
      shell: false,
      windowsHide: true,
      // A process group of its own, so that a signal reaches all that it starts.
      detached: process.platform !== 'win32',
    });
  } catch (error) {
    // Arguments that no system call takes (a NUL character, say) throw before anything starts.
    throw new McpError('spawnFailed', {
      detail: error instanceof Error ? error.message : String(error),
      cause: error,
    });
  }
}

function spawnError(command: string, error: NodeJS.ErrnoException): McpError {
  if (error.code === 'ENOENT') {
    return new McpError('programNotFound', { detail: command, cause: error });
  }
  return new McpError('spawnFailed', { detail: error.message, cause: error });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function closed(stream: Readable): Promise<void> {
  return stream.closed
    ? Promise.resolve()
    : new Promise((resolve) => stream.once('close', () => resolve()));
}

/** Whether `event` came within the time; leaves no timer behind. */
async function settlesWithin(event: Promise<void>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const came = await Promise.race([event.then(() => true), timeIsUp]);
  clearTimeout(timer);
  return came;
}
