import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const statFile = '/proc/stat';
/** In which Linux counts there, whatever the kernel's own clock is. */
const ticksPerSecond = 100;

/**
 * How long all processors of this machine have worked since it started, whichever process they did it for.
 * Two readings tell what a run costs, processes included that ended without a parent to count them.
 */
export function processorSeconds(): number {
  if (!existsSync(statFile)) {
    const times = cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq);
    return times.reduce((sum, each) => sum + each, 0) / 1000;
  }
  const [total = ''] = readFileSync(statFile, 'utf8').split('\n');
  const [, user, nice, system, , , irq, softIrq] = total.split(/\s+/).map(Number);
  return (
    [user, nice, system, irq, softIrq].reduce<number>((sum, each) => sum + (each ?? 0), 0) /
    ticksPerSecond
  );
}
