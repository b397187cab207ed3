import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes that `work` leaves for the next full collection, whether anything still holds them or not. */
export function leftForFullCollection(work: () => void): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  const before = oldGeneration();
  work();
  return oldGeneration() - before;
}

function oldGeneration(): number {
  const old = getHeapSpaceStatistics().filter(({ space_name: name }) => name === 'old_space');
  return old.reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);
}
