import { closeSync, openSync, read, readlinkSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { systemErrorCode } from '../bounds/systemError';

const readPart = promisify(read);

/** Facts about a process from Linux's `/proc/<pid>/stat`. */
export interface ProcFacts {
  readonly pid: number;
  /** At most 15 characters, chosen by the process: untrusted. */
  readonly name: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** True if it has an existing controlling terminal. */
  readonly hasTerminal: boolean;
  /** In ticks since boot: together with the process ID it is unique. */
  readonly start: string;
}

/** Few, so that other file access of the editor is not delayed. */
const readsAtOnce = 8;
/** Most environments and command lines are shorter than this. */
const usualBytes = 8 * 1024;

/**
 * Returns `undefined` if the text is no such line, and for a process that has ended and waits to be
 * reaped.
 */
function parseStat(text: string): ProcFacts | undefined {
  // "pid (name) state parent group session terminal …": the name may contain spaces and
  // parentheses.
  const [from, to] = [text.indexOf('('), text.lastIndexOf(')')];
  const fields = text.slice(to + 2).split(' ');
  const [state, start] = [fields[0], fields[19]];
  if (from < 0 || to < from || state === 'Z' || state === 'X' || start === undefined)
    return undefined;
  const [parent = 0, group = 0, session = 0, terminal = 0] = fields.slice(1, 5).map(Number);
  const name = text.slice(from + 1, to);
  const pid = Number(text.slice(0, from));
  return { pid, name, parent, group, session, hasTerminal: terminal !== 0, start };
}

/** Resolves with `undefined` if the process does not exist or cannot be read. Never rejects. */
export function procFacts(pid: number): Promise<ProcFacts | undefined> {
  return procFactsOrAbsent(pid).catch(() => undefined);
}

/** Resolves with `undefined` if the process does not exist. @throws if it cannot be read */
export async function procFactsOrAbsent(pid: number): Promise<ProcFacts | undefined> {
  try {
    return parseStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}

/**
 * Resolves with the IDs of all processes, new ones first; empty if the system does not list them.
 * Never rejects.
 */
export async function procPids(): Promise<readonly number[]> {
  const names = await readdir('/proc').catch((): string[] => []);
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .toReversed();
}

/** Reads the beginning of a file of the process; empty if it is unavailable. Never rejects. */
export async function procText(
  pid: number,
  what: 'environ' | 'cmdline' | 'maps',
  maxBytes: number,
): Promise<string> {
  // Limited, because a process chooses how long these are; most are much shorter. Only reading can
  // wait for the process, so only that is left to a thread.
  try {
    const file = openSync(`/proc/${pid}/${what}`, 'r');
    try {
      const buffer = Buffer.allocUnsafe(usualBytes);
      let text = '';
      while (text.length < maxBytes) {
        const wanted = Math.min(usualBytes, maxBytes - text.length);
        const { bytesRead } = await readPart(file, buffer, 0, wanted, null);
        text += buffer.toString('latin1', 0, bytesRead);
        // `maps` comes in pieces of whole lines; the others are shorter only at their end.
        if (bytesRead < (what === 'maps' ? 1 : wanted)) break;
      }
      return text;
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

/** Resolves with the system's name of its stdout; `undefined` if unavailable. Never rejects. */
export function procStdout(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/fd/1`).catch(() => undefined);
}

/** Returns the same synchronously, for a process that is about to change it. Never throws. */
export function procStdoutNow(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/1`);
  } catch {
    return undefined;
  }
}

/** Calls `ask` for each, a few at a time, and omits missing results. */
export async function mapProcesses<T>(
  pids: readonly number[],
  ask: (pid: number) => Promise<T | undefined>,
): Promise<readonly T[]> {
  const found: T[] = [];
  const left = pids.values();
  const worker = async (): Promise<void> => {
    for (const pid of left) {
      const answer = await ask(pid);
      if (answer !== undefined) found.push(answer);
    }
  };
  await Promise.all(Array.from({ length: readsAtOnce }, worker));
  return found;
}
