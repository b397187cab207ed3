import { PatternTime } from '../../../core/bounds/patternTime';
import type { RiskLevel } from '../../../core/risk';
import type { RuleMatch } from '../facts/callFacts';
import type { Asker } from '../facts/callOrigin';
import { doAllHold, type ConditionTools } from './conditions';
import { fitsGlob } from './glob';
import type { Rule } from './rule';
import type { PathPlace } from './workspacePaths';

/** What of a call rules are held against. */
export interface RuleSubject {
  /** Id of the server in the configuration. */
  readonly server: string;
  readonly tool: string;
  readonly level: RiskLevel;
  /** Absent: a person. */
  readonly asker?: Asker;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Where the server runs, if it is a program of this machine. */
  readonly cwd?: string;
}

export type PlaceOfPath = (path: string, cwd: string | undefined) => Promise<PathPlace>;

/** For all patterns and one decision; the window stands still meanwhile. */
export const decisionPatternsMs = 250;

/**
 * The rules that apply to the call, in their order. Takes a few seconds at most; never rejects.
 * `patterns` knows afterwards which could not be told.
 */
export async function matchRules(
  rules: readonly Rule[],
  subject: RuleSubject,
  placeOfPath: PlaceOfPath,
  patterns: PatternTime = new PatternTime(decisionPatternsMs),
): Promise<readonly RuleMatch[]> {
  const tools = boundedTools(placeOfPath, subject.cwd, patterns);
  const matches: RuleMatch[] = [];
  // In turn: the user's rules come first, and so get the time that there is.
  for (const rule of rules) {
    const isAbout = fitsTool(rule, subject) && fitsAsker(rule, subject.asker);
    if (isAbout && (await fitsArguments(rule, subject, tools))) {
      const match = (await opensToAgents(rule, subject, tools))
        ? ({ ...toMatch(rule), opensToAgents: true } as const)
        : toMatch(rule);
      const isGuessed = patternsOf(rule).some((pattern) => patterns.undecided.has(pattern));
      matches.push(isGuessed ? { ...toMatch(rule), isReadStrictly: true } : match);
    }
  }
  return matches;
}

/** Every regular expression that the rule holds against arguments. */
export function patternsOf({ when }: Rule): readonly RegExp[] {
  return when.flatMap(({ conditions }) =>
    conditions.flatMap((each) => (each.kind === 'matches' ? [each.pattern] : [])),
  );
}

/** Whether the rule speaks of the tool at all; its conditions may still not hold. */
export function fitsTool(
  { effect, server, tool, risk }: Rule,
  subject: Pick<RuleSubject, 'server' | 'tool' | 'level'>,
): boolean {
  // Servers choose the names of their tools: spelling one otherwise must not get past a rule.
  const ignoresCase = effect !== 'allow';
  return (
    (server === undefined || fitsGlob(server, subject.server, ignoresCase)) &&
    (tool === undefined || fitsGlob(tool, subject.tool, ignoresCase)) &&
    (risk === undefined || risk.includes(subject.level))
  );
}

/** What was written before there were agents, or without a thought of them, lets none through. */
export function fitsAsker({ effect, origin }: Rule, asker: Asker = 'person'): boolean {
  if (origin !== undefined) return origin.includes(asker);
  return effect !== 'allow' || asker !== 'agent';
}

/**
 * Whether the rule lets an agent ask for what only people may use otherwise: it is the user's, names
 * agents, and is as sure to fit as an allow has to be.
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
  if (subject.asker !== 'agent' || !mayOpenToAgents(rule, subject)) return false;
  return fitsArguments({ ...rule, effect: 'allow' }, subject, tools);
}

export function toMatch({ effect, place, reason, isReadStrictly }: Rule): RuleMatch {
  return { effect, place, isReadStrictly, ...(reason === undefined ? {} : { reason }) };
}

async function fitsArguments(
  { effect, when }: Rule,
  subject: RuleSubject,
  tools: ConditionTools,
): Promise<boolean> {
  const side = effect === 'allow' ? 'loosens' : 'tightens';
  try {
    return await doAllHold(when, subject.arguments, side, tools);
  } catch {
    // Whatever went wrong, nothing is sure.
    return side === 'tightens';
  }
}

/** A network drive that does not answer must not hold the question for ever. */
const allPathsMs = 3_000;
const maxPaths = 1_000;

/** The tools of one decision: whatever is over the limits cannot be told. */
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
