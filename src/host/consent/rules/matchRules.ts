import { PatternTime } from '../../../core/bounds/patterns';
import type { RiskLevel } from '../../../core/risk';
import type { RuleMatch, Requester } from '../facts/callFacts';
import { matchesAllConditions, type ConditionTools } from './conditions';
import { fitsGlob } from './glob';
import type { Rule } from './rule';
import type { PathPlace } from './workspacePaths';

/** The parts of a call that rules are matched with. */
export interface RuleSubject {
  /** Id of the server in the configuration. */
  readonly server: string;
  readonly tool: string;
  readonly level: RiskLevel;
  /** Defaults to the user. */
  readonly asker?: Requester;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Working directory of the server, if it is a local program. */
  readonly cwd?: string;
}

export type PlaceOfPath = (path: string, cwd: string | undefined) => Promise<PathPlace>;

/** Time limit for all patterns of one decision, which block the window. */
export const decisionPatternsMs = 250;

/**
 * Returns the rules that apply to the call, in order. Takes a few seconds at most; never rejects.
 * Afterwards, `patterns` knows which ones timed out.
 */
export async function matchRules(
  rules: readonly Rule[],
  subject: RuleSubject,
  placeOfPath: PlaceOfPath,
  patterns: PatternTime = new PatternTime(decisionPatternsMs),
): Promise<readonly RuleMatch[]> {
  const tools = boundedTools(placeOfPath, subject.cwd, patterns);
  const matches: RuleMatch[] = [];
  // One after the other, so that the user's rules, which come first, get the available time.
  for (const rule of rules) {
    if (!fitsTool(rule, subject) || !fitsRequester(rule, subject.asker)) continue;
    if (rule.when.length > 0 && !(await fitsArguments(rule, subject, tools))) continue;
    const match =
      subject.asker === 'agent' && (await opensToAgents(rule, subject, tools))
        ? ({ ...toRuleMatch(rule), opensToAgents: true } as const)
        : toRuleMatch(rule);
    const isGuessed = patternsOf(rule).some((pattern) => patterns.undecided.has(pattern));
    matches.push(isGuessed ? { ...toRuleMatch(rule), isReadStrictly: true } : match);
  }
  return matches;
}

/** Returns every regular expression that the rule applies to arguments. */
export function patternsOf({ when }: Rule): readonly RegExp[] {
  return when.flatMap(({ conditions }) =>
    conditions.flatMap((each) => (each.kind === 'matches' ? [each.pattern] : [])),
  );
}

/** Returns true if the rule is about the tool; its conditions may still not match. */
export function fitsTool(
  { effect, server, tool, risk }: Rule,
  subject: Pick<RuleSubject, 'server' | 'tool' | 'level'>,
): boolean {
  // Servers choose the names of their tools, so another spelling must not evade a rule.
  const ignoresCase = effect !== 'allow';
  return (
    (server === undefined || fitsGlob(server, subject.server, ignoresCase)) &&
    (tool === undefined || fitsGlob(tool, subject.tool, ignoresCase)) &&
    (risk === undefined || risk.includes(subject.level))
  );
}

/** A rule without an origin does not allow agents. */
export function fitsRequester({ effect, origin }: Rule, asker: Requester = 'person'): boolean {
  if (origin !== undefined) return origin.includes(asker);
  return effect !== 'allow' || asker !== 'agent';
}

/**
 * Returns true if the rule may let an agent request a tool that agents may not use otherwise: it is
 * the user's, names agents, and matches as certainly as an allow has to.
 */
export function mayOpenToAgents(
  rule: Rule,
  subject: Pick<RuleSubject, 'server' | 'tool' | 'level'>,
): boolean {
  const { effect, place, origin, isReadStrictly } = rule;
  if (effect === 'deny' || place.scope !== 'user' || isReadStrictly) return false;
  return origin?.includes('agent') === true && fitsTool({ ...rule, effect: 'allow' }, subject);
}

async function opensToAgents(
  rule: Rule,
  subject: RuleSubject,
  tools: ConditionTools,
): Promise<boolean> {
  if (!mayOpenToAgents(rule, subject)) return false;
  return fitsArguments({ ...rule, effect: 'allow' }, subject, tools);
}

export function toRuleMatch({ effect, place, reason, isReadStrictly }: Rule): RuleMatch {
  return { effect, place, isReadStrictly, ...(reason === undefined ? {} : { reason }) };
}

async function fitsArguments(
  { effect, when }: Rule,
  subject: RuleSubject,
  tools: ConditionTools,
): Promise<boolean> {
  const side = effect === 'allow' ? 'loosens' : 'tightens';
  try {
    return await matchesAllConditions(when, subject.arguments, side, tools);
  } catch {
    // After any error, nothing is certain.
    return side === 'tightens';
  }
}

/** A network drive that does not answer must not delay the question forever. */
const allPathsMs = 3_000;
const maxPaths = 1_000;

/** Returns the tools of one decision. Checks above the limits are undetermined. */
function boundedTools(
  placeOfPath: PlaceOfPath,
  cwd: string | undefined,
  patterns: PatternTime,
): ConditionTools {
  let pathsEnd: Promise<PathPlace> | undefined;
  const places = new Map<string, Promise<PathPlace>>();
  return {
    test: (pattern, text) => patterns.test(pattern, text),
    placeOf: (path) => {
      const known = places.get(path);
      if (known !== undefined) return known;
      if (places.size >= maxPaths) return Promise.resolve('unclear');
      pathsEnd ??= new Promise((resolve) => {
        setTimeout(() => resolve('unclear'), allPathsMs).unref();
      });
      const place = Promise.race([placeOfPath(path, cwd), pathsEnd]);
      places.set(path, place);
      return place;
    },
  };
}
