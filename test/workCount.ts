import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';

const optimizing = ['opt', 'maglev', 'use-osr'];

/**
 * How often the busiest piece of our own code ran while `work` was done, as V8 counts it: the same on
 * every machine, however busy. `ours` says in which scripts that stands, `besides` which functions do
 * not count. Rejects if none of those scripts ran.
 */
export async function busiestCount(
  work: () => unknown,
  ours = /[\\/](?:src[\\/]|tests\.js$)(?!.*node_modules)/,
  besides = /^$/,
): Promise<number> {
  // V8 does not count what runs as machine code that it has optimized.
  for (const flag of optimizing) setFlagsFromString(`--no-${flag}`);
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const counts = result
      .filter(({ url }) => ours.test(url))
      .flatMap(({ functions }) => functions.filter((each) => !besides.test(each.functionName)))
      .flatMap(({ ranges }) => ranges)
      .map(({ count }) => count);
    assert.notEqual(counts.length, 0, `No script is one of ${String(ours)}.`);
    return Math.max(...counts);
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
    for (const flag of optimizing) setFlagsFromString(`--${flag}`);
  }
}
