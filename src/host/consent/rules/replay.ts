import { setImmediate } from 'node:timers/promises';
import { PatternTime } from '../../../core/bounds/patternTime';
import type { Effect, RuleMatch } from '../facts/callFacts';
import type { WeighedCall } from '../facts/weighedCall';
import {
  fitsAsker,
  fitsTool,
  matchRules,
  patternsOf,
  toMatch,
  type PlaceOfPath,
} from './matchRules';
import type { Rule } from './rule';

/** What rules say of a call, taken alone; `none`: no rule applies, so that a person is asked. */
export type RuleEffect = Effect | 'none';

/** A past call, and what the rules as edited say of it. */
export interface Replayed {
  readonly call: WeighedCall;
  readonly before: RuleEffect;
  /** `unclear`: it depends on arguments that were not recorded, or on patterns that took too long. */
  readonly now: RuleEffect | 'unclear';
  /** The rule that says so, and for `unclear` the strongest that might. */
  readonly rule?: RuleMatch;
}

/** For all patterns and all calls. */
const patternsMs = 2_000;
/** More than that is a stop that a person notices. */
const turnMs = 10;

/**
 * The calls of which the rules say something else than at their time, or of which it cannot be
 * told, in the order of `calls`. Paths are looked up as they lead now.
 */
export async function replay(
  calls: readonly WeighedCall[],
  rules: readonly Rule[],
  placeOfPath: PlaceOfPath,
): Promise<readonly Replayed[]> {
  const replayed: Replayed[] = [];
  const patterns = new PatternTime(patternsMs);
  let turnEnd = performance.now() + turnMs;
  for (const call of calls) {
    const before = call.ruleEffect ?? 'none';
    const { now, rule } = await judge(call, rules, placeOfPath, patterns);
    if (now !== before) replayed.push({ call, before, now, ...(rule && { rule }) });
    if (performance.now() < turnEnd) continue;
    await setImmediate();
    turnEnd = performance.now() + turnMs;
  }
  return replayed;
}

async function judge(
  { server, tool, asker = 'person', risk: { level }, arguments: given }: WeighedCall,
  all: readonly Rule[],
  placeOfPath: PlaceOfPath,
  patterns: PatternTime,
): Promise<Pick<Replayed, 'now' | 'rule'>> {
  const subject = { server, tool, level, asker };
  const rules = all.filter((rule) => fitsAsker(rule, asker));
  if (given !== undefined) {
    const facts = { ...subject, arguments: given };
    const rule = strongest(await matchRules(rules, facts, placeOfPath, patterns));
    const isUnclear = rules.some(
      (each) =>
        fitsTool(each, subject) && patternsOf(each).some((one) => patterns.undecided.has(one)),
    );
    if (isUnclear && rule?.effect !== undefined) return { now: 'unclear', rule };
    if (isUnclear) return { now: 'unclear' };
    return { now: rule?.effect ?? 'none', ...(rule && { rule }) };
  }
  const fitting = rules.filter((rule) => fitsTool(rule, subject));
  const sure = strongest(fitting.filter(({ when }) => when.length === 0).map(toMatch));
  const possible = strongest(fitting.map(toMatch));
  const now = possible?.effect === sure?.effect ? (sure?.effect ?? 'none') : 'unclear';
  const rule = now === 'unclear' ? possible : sure;
  return { now, ...(rule && { rule }) };
}

/** The first of the strongest, as `decide` has it. */
function strongest(matches: readonly RuleMatch[]): RuleMatch | undefined {
  const first = (effect: Effect): RuleMatch | undefined =>
    matches.find((match) => match.effect === effect);
  return first('deny') ?? first('ask') ?? first('allow');
}
