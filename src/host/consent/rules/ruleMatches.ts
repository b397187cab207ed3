import { setImmediate } from 'node:timers/promises';
import { PatternTime } from '../../../core/bounds/patternTime';
import type { RulePlace } from '../facts/callFacts';
import type { WeighedCall } from '../facts/weighedCall';
import { fitsAsker, fitsTool, matchRules, type PlaceOfPath } from './matchRules';
import type { Rule } from './rule';

/** What a rule, as it is now, fits of the past. */
export interface RuleMatches {
  readonly rule: Rule;
  /** In the order of the calls that were looked at. */
  readonly calls: readonly WeighedCall[];
  /** How many more it may fit: their arguments were not recorded. */
  readonly unclear: number;
}

/** For all patterns and all calls. */
const patternsMs = 2_000;
/** More than that is a stop that a person notices. */
const turnMs = 10;

/** Which of these calls each rule fits, whatever else decided about them. */
export async function matchesOf(
  rules: readonly Rule[],
  calls: readonly WeighedCall[],
  placeOfPath: PlaceOfPath,
): Promise<readonly RuleMatches[]> {
  const found = new Map(
    rules.map((rule) => [keyOf(rule.place), { rule, calls: [] as WeighedCall[], unclear: 0 }]),
  );
  const patterns = new PatternTime(patternsMs);
  let turnEnd = performance.now() + turnMs;
  for (const call of calls) {
    const { server, tool, risk, asker = 'person', arguments: given } = call;
    const subject = { server, tool, level: risk.level, asker };
    const fitting = rules.filter((rule) => fitsTool(rule, subject) && fitsAsker(rule, asker));
    const sure =
      given === undefined
        ? fitting.filter(({ when }) => when.length === 0)
        : await matchRules(fitting, { ...subject, arguments: given }, placeOfPath, patterns);
    for (const { place } of sure) found.get(keyOf(place))?.calls.push(call);
    if (given === undefined) {
      for (const { place, when } of fitting) {
        const matches = found.get(keyOf(place));
        if (matches !== undefined && when.length > 0) matches.unclear += 1;
      }
    }
    if (performance.now() < turnEnd) continue;
    await setImmediate();
    turnEnd = performance.now() + turnMs;
  }
  return [...found.values()];
}

function keyOf({ scope, folder, index }: RulePlace): string {
  return JSON.stringify([scope, folder, index]);
}
