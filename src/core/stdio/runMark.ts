import { randomBytes } from 'node:crypto';
import { forEachOf, type ProcFacts, procFacts, procPids, procText } from './procFs';
import { SharedLook } from './sharedLook';

/**
 * The variable in which every process of one run inherits the mark of that run, so that it is found
 * when it has left the run's group and its parent is gone. Only Linux shows the environment of a
 * process, so only there it is set.
 *
 * The mark cannot be guessed and belongs to one run. Who can hand it to another process runs as the
 * same person and could end that process itself.
 */
const variable = 'TOOLGATE_RUN';

/** Of a large environment; the mark stands first where nobody sorts. */
const maxBytes = 128 * 1024;
const markPattern = new RegExp(`(?:^|\\0)${variable}=([0-9a-f]{32})(?:\\0|$)`);

/** The mark of a run; the same for nobody else. `undefined` where it would be of no use. */
export function newRunMark(): string | undefined {
  return process.platform === 'linux' ? randomBytes(16).toString('hex') : undefined;
}

export function isRunMark(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);
}

/** `env` with the mark in it, whatever stood there under its name. */
export function withRunMark(
  env: Readonly<Record<string, string>>,
  mark: string | undefined,
): Readonly<Record<string, string>> {
  if (mark === undefined) return env;
  const { [variable]: _, ...rest } = env;
  return { [variable]: mark, ...rest };
}

type Found = ReadonlyMap<string, readonly ProcFacts[]>;

const look = new SharedLook(async (): Promise<Found> => {
  const found = new Map<string, ProcFacts[]>();
  await forEachOf(await procPids(), async (pid) => {
    const mark = markPattern.exec(await procText(pid, 'environ', maxBytes))?.[1];
    const facts = mark === undefined ? undefined : await procFacts(pid);
    if (mark !== undefined && facts !== undefined) {
      found.set(mark, [...(found.get(mark) ?? []), facts]);
    }
  });
  return found;
});

/** The processes that live with this mark. Looks at every process, in turns. Never rejects. */
export async function processesOfRun(mark: string): Promise<readonly ProcFacts[]> {
  return (await look.ask()).get(mark) ?? [];
}
