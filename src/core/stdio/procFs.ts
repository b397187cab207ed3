import { readlinkSync } from 'node:fs';
import { open, readdir, readFile, readlink } from 'node:fs/promises';

/** What Linux tells of a process in `/proc/<pid>/stat`. */
export interface ProcFacts {
  readonly pid: number;
  /** At most 15 characters of its own choosing: untrusted. */
  readonly name: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Whether it has a controlling terminal that is there. */
  readonly hasTerminal: boolean;
  /** In ticks since the machine was started: with the number, no other process has it. */
  readonly start: string;
}

/** Few, so that other work of the editor with files is not held up meanwhile. */
const readsAtOnce = 8;

/** `undefined` for what is no such line, and for what has ended and waits to be reaped. */
function parseStat(text: string): ProcFacts | undefined {
  // "pid (name) state parent group session terminal …": the name may hold spaces and parentheses.
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

/** `undefined` when it is not there. Never rejects. */
export async function procFacts(pid: number): Promise<ProcFacts | undefined> {
  try {
    return parseStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The numbers of all processes, new ones first; none where the system does not tell. Never rejects. */
export async function procPids(): Promise<readonly number[]> {
  const names = await readdir('/proc').catch((): string[] => []);
  return names.flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : [])).toReversed();
}

/** The beginning of what the system tells of a process; empty when it does not. Never rejects. */
export async function procText(
  pid: number,
  what: 'environ' | 'cmdline' | 'maps',
  maxBytes: number,
): Promise<string> {
  // A process chooses how long these are.
  try {
    const file = await open(`/proc/${pid}/${what}`);
    try {
      const bytes = Buffer.allocUnsafe(maxBytes);
      let length = 0;
      while (length < maxBytes) {
        const { bytesRead } = await file.read(bytes, length, maxBytes - length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return bytes.toString('latin1', 0, length);
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}

/** What its stdout is, as the system names it; `undefined` when it does not. Never rejects. */
export async function procStdout(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/fd/1`).catch(() => undefined);
}

/** The same at this moment, for a process that is about to change it. Never throws. */
export function procStdoutNow(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/1`);
  } catch {
    return undefined;
  }
}

/** Asks for every one, a few at a time, and leaves out what is not there. */
export async function forEachOf<T>(
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
