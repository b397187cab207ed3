import { PatternTime } from '../core/bounds/patternTime';
import { calledName, type FileCall } from '../core/callFiles/callFile';
import { neededBy } from '../core/testing/runTests';

/** For all names of one file. */
const patternsMs = 500;

/**
 * The calls whose `file: name` the pattern finds, with those whose answers they need, and what
 * prepares and cleans up for them. `undefined`: the pattern took too long.
 */
export function selectCalls(
  calls: readonly FileCall[],
  file: string,
  grep: RegExp,
): readonly FileCall[] | undefined {
  const patterns = new PatternTime(patternsMs);
  const wanted = calls.filter((call) => patterns.test(grep, `${file}: ${calledName(call)}`));
  if (patterns.undecided.size > 0) return undefined;
  if (wanted.length === 0) return [];
  const byName = new Map(calls.map((call) => [call.name, call]));
  const chosen = new Set([...wanted, ...calls.filter(({ phase }) => phase !== undefined)]);
  // A set goes on with what is added meanwhile.
  for (const call of chosen) {
    for (const name of neededBy(call)) {
      const needed = byName.get(name);
      if (needed !== undefined) chosen.add(needed);
    }
  }
  return calls.filter((call) => chosen.has(call));
}
