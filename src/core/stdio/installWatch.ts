import type { StartClock } from '../eras/startClock';
import { ImagePull, commandKind } from './packageManagers';
import { descendantsIn, processTable, type TableRow } from './processTable';
import { procStdout, procStdoutNow, procText } from './procFs';

/** Cached packages start sooner, and a row that changes its text twice a second is not helpful. */
const firstLookMs = 2_000;
const betweenLooksMs = 1_000;
/** Pause after a look, as a multiple of its duration. */
const shareOfTime = 20;
const maxCommandBytes = 4_096;

/**
 * Watches a process that is starting: while it, or a package manager below it, installs the
 * program, the start timeout is paused. A program that only pretends to install delays its own
 * start, no longer than the timeout can be paused.
 */
export class InstallWatch {
  readonly #pid: number;
  readonly #clock: StartClock;
  readonly #onDidChange: (isInstalling: boolean) => void;
  readonly #pull = new ImagePull();
  /** Stdout of the process as it was started: a shell may have another one for a while. */
  readonly #stdout: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isInstalling = false;
  #isOver = false;

  constructor(pid: number, clock: StartClock, onDidChange: (isInstalling: boolean) => void) {
    this.#pid = pid;
    this.#clock = clock;
    this.#onDidChange = onDidChange;
    this.#stdout = procStdoutNow(pid);
    this.#lookIn(Math.min(firstLookMs, clock.leftMs / 3));
  }

  /** Result of the last look. */
  get isInstalling(): boolean {
    return this.#isInstalling;
  }

  /** Takes a line of stderr: untrusted. */
  take(line: string): void {
    this.#pull.take(line);
  }

  /** Called when the start has succeeded or failed. */
  dispose(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#clock.release();
  }

  #lookIn(ms: number): void {
    this.#timer = setTimeout(() => void this.#look(), ms);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const begunAt = performance.now();
    const isInstalling = await installs(this.#pid, this.#pull, this.#stdout);
    if (this.#isOver) return;
    // A failed start has ended its processes, so keep the last result instead of looking at the
    // remains.
    if (isInstalling === undefined) return this.#lookIn(betweenLooksMs);
    if (isInstalling) this.#clock.hold();
    else this.#clock.release();
    if (isInstalling !== this.#isInstalling) {
      this.#isInstalling = isInstalling;
      this.#onDidChange(isInstalling);
    }
    this.#lookIn(Math.max(betweenLooksMs, shareOfTime * (performance.now() - begunAt)));
  }
}

/**
 * Resolves with true if a package manager is working in the tree of this process; `undefined` if
 * the process is gone or the system gives no information. Never rejects.
 */
async function installs(
  pid: number,
  pull: ImagePull,
  stdout: string | undefined,
): Promise<boolean | undefined> {
  const table = await processTable();
  const own = table.filter((row) => row.pid === pid);
  if (own.length === 0) return undefined;
  const rows = await Promise.all([...own, ...descendantsIn(table, pid)].map(withKind));
  if (rows.some(({ kind }) => kind === 'installer')) return true;
  if (pull.isUnderWay && rows.some(({ kind }) => kind === 'container')) return true;
  const launchers = rows.filter(({ kind }) => kind === 'launcher');
  if (launchers.length === 0) return false;
  // Only the innermost launcher is working; once a program runs below it, that is installed.
  const programs = rows.filter(({ kind }) => kind === 'program');
  const speaking = await Promise.all(programs.map((row) => isOf(row.pid, stdout)));
  const servers = programs.filter((_, at) => speaking[at] === true);
  return launchers.every((launcher) => {
    const below = descendantsIn(rows, launcher.pid);
    return !below.some((row) => servers.includes(row));
  });
}

async function withKind(row: TableRow) {
  const command = row.command ?? (await procText(row.pid, 'cmdline', maxCommandBytes));
  return { ...row, kind: commandKind(command) };
}

/**
 * Install scripts write to another stdout; if the stdout is unknown, any program counts as the
 * server.
 */
async function isOf(pid: number, stdout: string | undefined): Promise<boolean> {
  if (stdout === undefined) return true;
  const own = await procStdout(pid);
  return own === undefined || own === stdout;
}
