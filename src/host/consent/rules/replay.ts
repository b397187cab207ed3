import { PatternTime } from '../../../core/bounds/patterns';
import { WorkTurns } from '../../../core/bounds/workTurns';
import type { Effect, RuleMatch, RulePlace, DecidedCallFacts } from '../facts/callFacts';
import {
  fitsRequester,
  fitsTool,
  matchRules,
  patternsOf,
  toRuleMatch,
  type PlaceOfPath,
} from './matchRules';
import type { Rule } from './rule';

/** The effect of the rules alone; `none` if no rule applies, so that the user is asked. */
export type RuleEffect = Effect | 'none';

/** A past call, and the effect of the edited rules on it. */
export interface Replayed {
  readonly call: DecidedCallFacts;
  readonly before: RuleEffect;
  /** `unclear`: depends on arguments that were not recorded, or on patterns that took too long. */
  readonly now: RuleEffect | 'unclear';
  /** The deciding rule; for `unclear` the strictest that may apply. */
  readonly rule?: RuleMatch;
}

/** The past calls that a rule matches, whatever else decided about them. */
export interface RuleMatches {
  readonly rule: Rule;
  /** In the order of the given calls. */
  readonly calls: DecidedCallFacts[];
  /** Number of calls that it may match as well. */
  unclear: number;
}

/** The effect of rules on past calls. */
export interface RuleReplay {
  /** The calls with another effect than at their time, or with an unclear one. */
  readonly changes: readonly Replayed[];
  readonly matches: readonly RuleMatches[];
}

/** Time limit for all patterns and all calls. */
const patternsMs = 2_000;

/** Applies rules to past calls, in the order of `calls`. Paths are resolved as they are now. */
export async function replay(
  calls: readonly DecidedCallFacts[],
  rules: readonly Rule[],
  placeOfPath: PlaceOfPath,
): Promise<RuleReplay> {
  const changes: Replayed[] = [];
  const matches = new Map(
    rules.map((rule): [string, RuleMatches] => [
      keyOf(rule.place),
      { rule, calls: [], unclear: 0 },
    ]),
  );
  const patterns = new PatternTime(patternsMs);
  const turns = new WorkTurns();
  for (const call of calls) {
    const before = call.ruleEffect ?? 'none';
    const fitting = await fittingRules(call, rules, placeOfPath, patterns);
    const { now, rule } = judge(fitting);
    if (now !== before) changes.push({ call, before, now, ...(rule && { rule }) });
    for (const { place } of fitting.sure) matches.get(keyOf(place))?.calls.push(call);
    for (const { place } of fitting.unclear) {
      const uncounted = matches.get(keyOf(place));
      if (uncounted !== undefined) uncounted.unclear += 1;
    }
    if (turns.isOver) await turns.giveWay();
  }
  return { changes, matches: [...matches.values()] };
}

interface FittingRules {
  readonly sure: readonly RuleMatch[];
  /** Rules that match the tool, but possibly not the arguments. */
  readonly unclear: readonly RuleMatch[];
}

async function fittingRules(
  { server, tool, asker = 'person', risk: { level }, arguments: given }: DecidedCallFacts,
  all: readonly Rule[],
  placeOfPath: PlaceOfPath,
  patterns: PatternTime,
): Promise<FittingRules> {
  const subject = { server, tool, level, asker };
  const rules = all.filter((rule) => fitsRequester(rule, asker));
  if (given === undefined) {
    const fitting = rules.filter((rule) => fitsTool(rule, subject));
    return {
      sure: fitting.filter(({ when }) => when.length === 0).map(toRuleMatch),
      unclear: fitting.filter(({ when }) => when.length > 0).map(toRuleMatch),
    };
  }
  const facts = { ...subject, arguments: given };
  const matching = await matchRules(rules, facts, placeOfPath, patterns);
  const undecided = rules.filter(
    (rule) =>
      fitsTool(rule, subject) && patternsOf(rule).some((one) => patterns.undecided.has(one)),
  );
  const unclear = new Set(undecided.map(({ place }) => keyOf(place)));
  return {
    sure: matching.filter(({ place }) => !unclear.has(keyOf(place))),
    unclear: undecided.map(toRuleMatch),
  };
}

/** Uncertain rules count only if they would change the result. */
function judge({ sure, unclear }: FittingRules): Pick<Replayed, 'now' | 'rule'> {
  const decided = strongest(sure);
  const possible = strongest([...sure, ...unclear]);
  const isClear = possible?.effect === decided?.effect;
  const rule = isClear ? decided : possible;
  return { now: isClear ? (decided?.effect ?? 'none') : 'unclear', ...(rule && { rule }) };
}

/** Returns the first of the strictest rules, as `decide` does. */
function strongest(matches: readonly RuleMatch[]): RuleMatch | undefined {
  const first = (effect: Effect): RuleMatch | undefined =>
    matches.find((match) => match.effect === effect);
  return first('deny') ?? first('ask') ?? first('allow');
}

function keyOf({ scope, folder, index }: RulePlace): string {
  return JSON.stringify([scope, folder, index]);
}
