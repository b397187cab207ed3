import { randomBytes } from 'node:crypto';
import { mapProcesses, type ProcFacts, procFacts, procPids, procText } from './procFs';
import { SharedSnapshot } from './sharedSnapshot';

/**
 * The environment variable through which every process of a run inherits the run's mark, so that it
 * is found after it has left the run's group and its parent is gone. It is set on Linux only,
 * because only Linux shows the environment of a process.
 *
 * The mark cannot be guessed and belongs to one run. A program that could pass it to another
 * process runs as the same user and could kill that process itself.
 */
const variable = 'TOOLGATE_RUN';

/** Limit for large environments; the mark comes first unless the environment gets sorted. */
const maxBytes = 128 * 1024;
const markPattern = new RegExp(`(?:^|\\0)${variable}=([0-9a-f]{32})(?:\\0|$)`);

/** Creates a unique mark for a run. `undefined` where it would be useless. */
export function newRunMark(): string | undefined {
  return process.platform === 'linux' ? randomBytes(16).toString('hex') : undefined;
}

export function isRunMark(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);
}

/** Returns `env` with the mark, which replaces any other value of the variable. */
export function withRunMark(
  env: Readonly<Record<string, string>>,
  mark: string | undefined,
): Readonly<Record<string, string>> {
  if (mark === undefined) return env;
  const { [variable]: _, ...rest } = env;
  return { [variable]: mark, ...rest };
}

type Found = ReadonlyMap<string, readonly ProcFacts[]>;

const look = new SharedSnapshot(async (): Promise<Found> => {
  const found = new Map<string, ProcFacts[]>();
  await mapProcesses(await procPids(), async (pid) => {
    const mark = markPattern.exec(await procText(pid, 'environ', maxBytes))?.[1];
    const facts = mark === undefined ? undefined : await procFacts(pid);
    if (mark !== undefined && facts !== undefined) {
      const others = found.get(mark);
      if (others === undefined) found.set(mark, [facts]);
      else others.push(facts);
    }
  });
  return found;
});

/** Finds the living processes with this mark. Checks every process, in turns. Never rejects. */
export async function processesOfRun(mark: string): Promise<readonly ProcFacts[]> {
  return (await look.ask()).get(mark) ?? [];
}
