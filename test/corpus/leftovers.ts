import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

// What a server leaves behind, whatever its parent and its session are: every process that was
// started by it has a variable of our own in its environment, unless it took it out itself.

const variable = 'TOOLGATE_CORPUS_RUN';
/** As long as a person would wait before calling it left behind. */
const patienceMs = 4_000;

/** To be added to the environment of one run. */
export function markOf(run: string): Readonly<Record<string, string>> {
  return { [variable]: run };
}

/** Numbers of the processes of that run; `undefined` where the system does not show environments. */
function processesOf(run: string): readonly number[] | undefined {
  if (process.platform !== 'linux') return undefined;
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
      return environment.includes(`${variable}=${run}`) ? [Number(name)] : [];
    } catch {
      return []; // It ended while we were looking, or is not ours to look at.
    }
  });
}

/** How many processes of the run go on after a while; they are ended. */
export async function endLeftovers(run: string): Promise<number | undefined> {
  const end = performance.now() + patienceMs;
  let left = processesOf(run);
  while (left !== undefined && left.length > 0 && performance.now() < end) {
    await delay(100);
    left = processesOf(run);
  }
  for (const pid of left ?? []) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  return left?.length;
}
