import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { readRegularFile } from '../../core/bounds/regularFile';
import { systemErrorCode } from '../../core/bounds/systemError';
import type { ConnectionLog } from '../../core/log';
import { list, optional, shape, string, type Parsed, type Parser } from '../../core/parse/parsers';
import { processStart } from '../../core/stdio/processFacts';
import { signalTree, waitForEmptyTree } from '../../core/stdio/processTree';
import { isRunMark } from '../../core/stdio/runMark';
import type { LiveProcesses } from '../../core/stdio/stdioProcess';
import { endStrayProcesses } from '../../core/stdio/strayProcesses';
import { writeAtomically } from '../storage/atomicWrite';

export interface ProcessRecordsOptions {
  /** A folder in global storage, shared by all windows. */
  readonly folder: string;
  readonly live: Pick<LiveProcesses, 'pids' | 'onDidChange'> &
    Partial<Pick<LiveProcesses, 'markOf'>>;
  readonly log: Pick<ConnectionLog, 'info' | 'warn'>;
}

// 0 and -1 would address many processes, 1 the whole system.
const parsePid: Parser<number> = (value) =>
  Number.isInteger(value) && Number(value) > 1 ? Number(value) : undefined;
const parseMark: Parser<string> = (value) => (isRunMark(value) ? value : undefined);

/** Identifies a process. The number alone may belong to another process by now. */
const parseProcess = shape({
  pid: parsePid,
  start: string,
  /** Variable in the environment of its process tree, on systems that show it. */
  mark: optional(parseMark),
});
type KnownProcess = Parsed<typeof parseProcess>;

const parseWindowRecord = shape({
  machine: string,
  window: parseProcess,
  servers: list(parseProcess),
});
type WindowRecord = Parsed<typeof parseWindowRecord>;

/** Milliseconds between SIGTERM and SIGKILL for leftover processes. */
const leaveMs = 1_500;
const maxRecordBytes = 256 * 1024;

/**
 * Records the server processes of this window, so that the next window can end those of a window
 * that was killed. Most servers end by themselves when their stdin closes.
 */
export class ProcessRecords {
  readonly #options: ProcessRecordsOptions;
  readonly #file: string;
  readonly #starts = new Map<number, string>();
  readonly #subscription: { dispose(): void };
  #writing: Promise<void> = Promise.resolve();

  constructor(options: ProcessRecordsOptions) {
    this.#options = options;
    const name = `${process.pid}-${randomBytes(4).toString('hex')}.json`;
    this.#file = path.join(options.folder, name);
    this.#subscription = options.live.onDidChange(() => {
      this.#writing = this.#writing.then(() => this.#write());
    });
  }

  /** Resolves when all known processes are written. Never rejects. */
  written(): Promise<void> {
    return this.#writing;
  }

  /**
   * Ends the processes of windows that are gone; resolves with their number, without the processes
   * in their groups. Touches only processes with the recorded start time or mark, and leaves those
   * about which the system says nothing to the next sweep. Never rejects.
   */
  async sweep(): Promise<number> {
    const { folder } = this.#options;
    const names = await readdir(folder).catch((): string[] => []);
    const files = names.filter((name) => name.endsWith('.json'));
    const ended = await Promise.all(files.map((name) => this.#sweepFile(path.join(folder, name))));
    return ended.reduce((sum, count) => sum + count, 0);
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #sweepFile(file: string): Promise<number> {
    if (file === this.#file) return 0;
    const record = await readRecord(file);
    if (record === 'unreadable') return 0;
    if (record !== undefined && record.machine !== hostname()) return 0;
    if (record !== undefined && (await stateOf(record.window)) !== 'gone') return 0;
    const servers = record?.servers ?? [];
    const states = await Promise.all(servers.map(stateOf));
    const ended = await Promise.all(
      servers.map((server, index) => this.#end(server, states[index] === 'running')),
    );
    if (!states.includes('unknown')) await rm(file, { force: true }).catch(() => undefined);
    return ended.reduce((sum, count) => sum + count, 0);
  }

  async #end({ pid, mark }: KnownProcess, isLeft: boolean): Promise<number> {
    const { log } = this.#options;
    if (isLeft) {
      log.info(`process ${pid} was left by a window that is gone: ending it`);
      signalTree(pid, 'SIGTERM');
      if (!(await waitForEmptyTree(pid, leaveMs))) {
        signalTree(pid, 'SIGKILL');
        await waitForEmptyTree(pid, leaveMs);
      }
    }
    const strays = mark === undefined ? 0 : await endStrayProcesses(mark, { leaveMs, log });
    return strays + (isLeft ? 1 : 0);
  }

  async #write(): Promise<void> {
    const { live, folder, log } = this.#options;
    try {
      const servers = await this.#known(live);
      const own = await processStart(process.pid);
      if (servers.length === 0 || own === undefined) {
        await rm(this.#file, { force: true });
        return;
      }
      const window = { pid: process.pid, start: own };
      const record: WindowRecord = { machine: hostname(), window, servers };
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // One name, so that a window that is killed in between leaves at most one such file.
      const temporary = `${this.#file}.new`;
      await writeAtomically(this.#file, (handle) => handle.writeFile(JSON.stringify(record)), {
        temporary,
      });
    } catch (error) {
      log.warn(`processes not written down: ${String(error)}`);
    }
  }

  /** Cached, because the start time never changes and costs a program run on some systems. */
  async #known(live: ProcessRecordsOptions['live']): Promise<readonly KnownProcess[]> {
    const { pids } = live;
    for (const pid of this.#starts.keys()) if (!pids.includes(pid)) this.#starts.delete(pid);
    const known = await Promise.all(
      pids.map(async (pid) => {
        const start = this.#starts.get(pid) ?? (await processStart(pid).catch(() => undefined));
        if (start === undefined) return [];
        this.#starts.set(pid, start);
        const mark = live.markOf?.(pid);
        return [{ pid, start, ...(mark === undefined ? {} : { mark }) }];
      }),
    );
    return known.flat();
  }
}

/** Never rejects. */
async function stateOf({ pid, start }: KnownProcess): Promise<'running' | 'gone' | 'unknown'> {
  try {
    return (await processStart(pid)) === start ? 'running' : 'gone';
  } catch {
    return 'unknown';
  }
}

/**
 * Returns `undefined` for a file that no window wrote. Its window may be replacing an unreadable
 * one, or too many files may be open.
 */
async function readRecord(file: string): Promise<WindowRecord | 'unreadable' | undefined> {
  try {
    const bytes = await readRegularFile(file, maxRecordBytes);
    return parseWindowRecord(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    return systemErrorCode(error) === undefined ? undefined : 'unreadable';
  }
}
