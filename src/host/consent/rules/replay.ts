import type { Effect, RuleMatch } from '../decision';
import type { PastCall } from '../pastCalls';
import { fitsTool, matchRules, toMatch, type PlaceOfPath } from './matchRules';
import type { Rule } from './rule';

/** What rules say of a call, taken alone; `none`: no rule applies, so that a person is asked. */
export type RuleEffect = Effect | 'none';

/** A past call, and what the rules as edited say of it. */
export interface Replayed {
  readonly call: PastCall;
  readonly before: RuleEffect;
  /** `unclear`: it depends on arguments, which were not recorded. */
  readonly now: RuleEffect | 'unclear';
  /** The rule that says so, and for `unclear` the strongest that might. */
  readonly rule?: RuleMatch;
}

/**
 * The calls of which the rules say something else than at their time, or of which it cannot be
 * told, in the order of `calls`. Paths are looked up as they lead now.
 */
export async function replay(
  calls: readonly PastCall[],
  rules: readonly Rule[],
  placeOfPath: PlaceOfPath,
): Promise<readonly Replayed[]> {
  const replayed: Replayed[] = [];
  for (const call of calls) {
    const before = call.ruleEffect ?? 'none';
    const { now, rule } = await judge(call, rules, placeOfPath);
    if (now !== before) replayed.push({ call, before, now, ...(rule && { rule }) });
  }
  return replayed;
}

async function judge(
  { server, tool, risk: { level }, arguments: given }: PastCall,
  rules: readonly Rule[],
  placeOfPath: PlaceOfPath,
): Promise<Pick<Replayed, 'now' | 'rule'>> {
  const subject = { server, tool, level };
  if (given !== undefined) {
    const rule = strongest(await matchRules(rules, { ...subject, arguments: given }, placeOfPath));
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
