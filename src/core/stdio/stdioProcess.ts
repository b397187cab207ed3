import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { Emitter, type CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import type { ConnectionLog } from '../log';
import { killTreeNow, signalTree, waitForEmptyTree } from './processTree';
import type { TableRow } from './processTable';
import { newRunMark, withRunMark } from './runMark';
import { settlesWithin } from '../bounds/valueWithin';
import type { StdioProgram } from './findProgram';
import { startChild } from './startChild';
import { StderrLines } from './stderrLines';
import { endStrayProcesses, processesBelow, logStrayProcesses } from './strayProcesses';
import type { WatchedStdin } from './watchedStdin';

export interface StdioCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the allow-listed part of our own environment; `null` unsets. */
  readonly env: Readonly<Record<string, string | null>>;
  readonly cwd?: string;
}

/** Events of a process, other than messages, that the user may want to know about. */
export type ProcessNotice =
  /** It wrote so many lines to stderr in one second that some were omitted. */
  | { readonly kind: 'stderrFlood'; readonly leftOut: number }
  /** It kept running after its stdin was closed and after SIGTERM, and was killed. */
  | { readonly kind: 'killed' }
  /** It exited, but processes that it had started kept running; they were ended. */
  | { readonly kind: 'leftBehind' };

export interface ProcessHooks {
  readonly log: ConnectionLog;
  readonly onNotice?: (notice: ProcessNotice) => void;
  /** Called with each line of stderr, in addition to the log. */
  readonly onStderr?: (line: string) => void;
}

/** Timeouts for a server to exit, step by step. */
export interface StopTimes {
  /** Time from the end of its stdin to SIGTERM. */
  readonly stdinMs: number;
  /** Time from SIGTERM to SIGKILL, for the whole tree. */
  readonly terminateMs: number;
}

/**
 * Time for which a pipe is still read after its process is gone, if another process holds it open.
 */
const drainMs = 500;

/** Time for which child processes may keep running after the process. */
const followMs = 100;

/** Timeout for a process outside the group to exit. */
const strayMs = 400;

/** Timeout for listing the processes below a server before it is told to exit. */
const belowMs = 2_000;

/** Timeout for learning the exit that explains a closed pipe, and the rest of stderr. */
const explainMs = 500;

/** The living processes: `killNow` kills them when there is no time to stop them in order. */
export class LiveProcesses {
  readonly #running = new Set<StdioProcess>();

  readonly #onDidChange = new Emitter<void>();
  /** Fires when a process has started or ended. */
  readonly onDidChange = this.#onDidChange.event;

  get pids(): readonly number[] {
    return [...this.#running].map((child) => child.pid);
  }

  /** Returns the mark by which the processes of this one are found. */
  markOf(pid: number): string | undefined {
    return [...this.#running].find((child) => child.pid === pid)?.mark;
  }

  add(child: StdioProcess): void {
    this.#running.add(child);
    this.#onDidChange.fire();
    void child.gone.then(() => {
      this.#running.delete(child);
      this.#onDidChange.fire();
    });
  }

  /**
   * Kills them all with everything that they started. Synchronous: for a process `exit` handler.
   */
  killNow(): void {
    for (const child of this.#running) child.killNow();
  }
}

/** One run of a stdio server as a process without a shell, with all that it starts. */
export class StdioProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process has exited and its tree is empty or out of reach. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcess;
  readonly #stderr: StderrLines;
  readonly #stderrClosed: Promise<void>;
  readonly #exited: Promise<void>;
  readonly #times: StopTimes;
  readonly #hooks: ProcessHooks;
  #stopping: Promise<void> | undefined;
  /**
   * Mark for finding its processes that have left its group; absent if the system cannot find them.
   */
  readonly mark: string | undefined;
  /** Its descendants at the time when it was stopped. */
  #below: Promise<readonly TableRow[]> | undefined;
  readonly #watched: WatchedStdin | undefined;
  /** True once the process ID may belong to another process. */
  #isGone = false;

  /**
   * Starts the program; resolves when the system has started it. Takes ownership of `watched`, a
   * stdin that detects unread data.
   * @throws {McpError} spawnFailed | cancelled
   */
  static async start(
    program: StdioProgram,
    hooks: ProcessHooks,
    times: StopTimes,
    watched?: WatchedStdin,
    token?: CancellationToken,
  ): Promise<StdioProcess> {
    const mark = newRunMark();
    try {
      const child = await startChild(
        { ...program, env: withRunMark(program.env, mark) },
        watched,
        token,
      );
      watched?.handedOver();
      return new StdioProcess(child, hooks, times, mark, watched);
    } catch (error) {
      watched?.drop();
      throw error;
    }
  }

  private constructor(
    child: ChildProcess,
    hooks: ProcessHooks,
    times: StopTimes,
    mark: string | undefined,
    watched: WatchedStdin | undefined,
  ) {
    const { pid, stdout, stderr } = child;
    const stdin = watched?.stream ?? child.stdin;
    if (pid === undefined || stdin === null || stdout === null || stderr === null) {
      throw new McpError('spawnFailed', { detail: 'the process has no pipes' });
    }
    this.#child = child;
    this.mark = mark;
    this.#watched = watched;
    this.#times = times;
    this.#hooks = hooks;
    this.pid = pid;
    this.stdin = stdin;
    this.stdout = stdout;
    const { log } = hooks;
    this.#stderr = new StderrLines(stderr, {
      onLine: (line) => {
        log.stderr(line);
        hooks.onStderr?.(line);
      },
      onLeftOut: (leftOut) => hooks.onNotice?.({ kind: 'stderrFlood', leftOut }),
    });
    this.#stderrClosed = streamClosed(stderr);
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    this.gone = this.#exited.then(() => this.#sweep());
    child.on('error', (error) => log.warn(`process ${pid}: ${error.message}`));
  }

  /**
   * True if it is known to have exited without reading all that was sent; known when it is gone.
   */
  get leftUnread(): boolean {
    return this.#watched?.leftUnread === true;
  }

  stderrTail(): string {
    return this.#stderr.tail();
  }

  /**
   * Resolves with `connectionClosed`, with exit code, signal and stderr as far as they are known.
   */
  async explainEnd(): Promise<McpError> {
    // The reason is mostly in the last lines, which may still wait to be read.
    await settlesWithin(Promise.all([this.#exited, this.#stderrClosed]), explainMs);
    const { exitCode, signalCode } = this.#child;
    const stderrTail = this.stderrTail();
    return new McpError('connectionClosed', {
      ...(exitCode === null ? {} : { exitCode }),
      ...(signalCode === null ? {} : { signal: signalCode }),
      ...(stderrTail === '' ? {} : { stderrTail }),
    });
  }

  /**
   * Stops in steps: close stdin, wait, SIGTERM, wait, SIGKILL, the last two to the whole tree.
   * `atOnce` does not wait after stdin; it also hurries a running stop. Concurrent calls share one
   * stop; never rejects.
   */
  stop(manner: 'orderly' | 'atOnce'): Promise<void> {
    this.#below ??= this.#hasExited ? undefined : processesBelow(this.pid);
    if (manner === 'atOnce') {
      this.stdin.end();
      if (!this.#isGone) signalTree(this.pid, 'SIGTERM');
    }
    this.#stopping ??= this.#climbDown(manner === 'orderly' ? this.#times.stdinMs : 0);
    return this.#stopping;
  }

  killNow(): void {
    if (!this.#isGone) killTreeNow(this.pid);
  }

  async #climbDown(stdinMs: number): Promise<void> {
    // After a process has exited, its children are no longer known as such.
    if (this.#below !== undefined) await settlesWithin(this.#below, belowMs);
    this.stdin.end();
    if (!(await settlesWithin(this.#exited, stdinMs))) {
      signalTree(this.pid, 'SIGTERM');
      if (!(await settlesWithin(this.#exited, this.#times.terminateMs))) {
        signalTree(this.pid, 'SIGKILL');
        this.#hooks.log.warn(`process ${this.pid} ignored the end of stdin and SIGTERM: killed`);
        this.#hooks.onNotice?.({ kind: 'killed' });
      }
    }
    // Limited, because a process in an uninterruptible system wait survives even SIGKILL for a
    // time.
    await settlesWithin(this.gone, this.#times.terminateMs + 2 * strayMs + drainMs);
  }

  get #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /**
   * Runs after the leader's exit: ends the processes that it left, and the pipes that they may
   * hold.
   */
  async #sweep(): Promise<void> {
    // A server that we stop ends at once with its children; one that exits on its own may have
    // asked them to exit, which takes a while.
    const isOurs = this.#stopping !== undefined;
    const isGroupLeft = !(await waitForEmptyTree(this.pid, isOurs ? 0 : followMs));
    if (isGroupLeft) {
      if (!isOurs) {
        this.#hooks.log.warn(`process ${this.pid} ended and left others running: ending them`);
      }
      signalTree(this.pid, 'SIGTERM');
      if (!(await waitForEmptyTree(this.pid, Math.min(drainMs, this.#times.terminateMs)))) {
        signalTree(this.pid, 'SIGKILL');
      }
    }
    this.#isGone = true;
    const strays = await this.#endStrays();
    if (!isOurs && (isGroupLeft || strays > 0)) this.#hooks.onNotice?.({ kind: 'leftBehind' });
    const { stderr } = this.#child;
    const pipes = [streamClosed(this.stdout), this.#stderrClosed];
    await settlesWithin(Promise.all([...pipes, this.#watched?.isOver]), drainMs);
    this.stdout.destroy();
    stderr?.destroy();
    this.stdin.destroy();
    this.#hooks.log.info(`process ${this.pid} ended with ${this.#formatEnd()}`);
  }

  async #endStrays(): Promise<number> {
    const { log } = this.#hooks;
    const seen = (await this.#below) ?? [];
    if (this.mark !== undefined) {
      return endStrayProcesses(this.mark, { leaveMs: strayMs, log, seen, excludedGroup: this.pid });
    }
    logStrayProcesses(seen, log);
    return 0;
  }

  #formatEnd(): string {
    const { exitCode, signalCode } = this.#child;
    const how = exitCode === null ? `signal ${signalCode ?? '?'}` : `exit code ${exitCode}`;
    return this.leftUnread ? `${how}, not having read all that it was sent` : how;
  }
}

/** Settles when the stream has been read to its end or was destroyed. */
function streamClosed(stream: Readable): Promise<void> {
  return stream.closed
    ? Promise.resolve()
    : new Promise((resolve) => stream.once('close', () => resolve()));
}
