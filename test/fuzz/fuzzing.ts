import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { startProcessorClock } from '../../src/core/bounds/processorClock';

/** In all, over every property of the files that run; each gets its part by weight. */
const cases = numberFrom('TOOLGATE_FUZZ_CASES') ?? 100_000;
/** Another one for each run, so that many runs look at more than one does. */
const seed = numberFrom('TOOLGATE_FUZZ_SEED') ?? Math.floor(Math.random() * 0x7fff_ffff);

/** Processor time: ten times what the slowest takes. */
const maxCaseMs = 5_000;

let allWeights = 0;
let ran = 0;

console.log(`\n  ${cases} cases, seed ${seed} (again with TOOLGATE_FUZZ_SEED=${seed})`);

/**
 * A test that `check` holds for whatever is made. `weight` says how many of all cases are its, beside
 * the others. A failure names the seed, the case and the smallest one that fails like it.
 */
export function fuzz<T>(
  fact: string,
  weight: number,
  made: fc.Arbitrary<T>,
  check: (value: T) => void | Promise<void>,
): void {
  allWeights += weight;
  it(fact, async function () {
    // However many cases: what hangs is found by the limit of the stage.
    this.timeout(0);
    this.slow(cases);
    const numRuns = Math.ceil((cases * weight) / allWeights);
    const timed = fc.asyncProperty(made, async (value) => {
      ran += 1;
      const usedMs = startProcessorClock();
      // Most checks wait for nothing, and would only be slower if they did.
      const checking = check(value);
      if (checking !== undefined) await checking;
      const ms = usedMs();
      assert.ok(ms < maxCaseMs, `took ${Math.round(ms)} ms`);
    });
    const run = await fc.check(timed, { seed, numRuns });
    if (run.failed) throw new Error(reportOf(run), { cause: run.errorInstance });
  });
}

/** A case may be nested too deeply to be shown. */
function reportOf<T>(run: fc.RunDetails<T>): string {
  try {
    return fc.defaultReportMessage(run) ?? '';
  } catch {
    return `seed ${run.seed}, path ${run.counterexamplePath}: ${String(run.errorInstance)}`;
  }
}

after(() => console.log(`\n  ${ran} cases with seed ${seed}`));

function numberFrom(variable: string): number | undefined {
  const given = process.env[variable];
  if (given === undefined || given === '') return undefined;
  const value = Number(given);
  if (!Number.isSafeInteger(value)) throw new Error(`${variable} is no whole number: ${given}`);
  return value;
}
