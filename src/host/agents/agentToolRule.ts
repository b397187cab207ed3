import { hasInvisibleCharacters } from '../../core/visibleText';
import type { JsonObject } from '../../core/json/jsonValue';
import { isObject } from '../../core/json/shapes';
import type { RiskLevel } from '../../core/risk';
import type { Effect } from '../consent/facts/callFacts';
import { fitsAsker, fitsTool } from '../consent/rules/matchRules';
import { maxGlobChars } from '../consent/rules/glob';
import type { Rule } from '../consent/rules/rule';

/** A tool whose way for agents a person chooses. */
export interface AgentSubject {
  readonly server: string;
  readonly tool: string;
  readonly level: RiskLevel;
}

/** Whether a rule can be about this tool alone: names that would be patterns are about others, too. */
export function canHaveAgentRule({ server, tool }: Omit<AgentSubject, 'level'>): boolean {
  return [server, tool].every(
    (name) =>
      name !== '' &&
      name.length <= maxGlobChars &&
      !/[*?]/.test(name) &&
      !hasInvisibleCharacters(name),
  );
}

/**
 * The rule that lets agents use the tool without a question, ask for it, or neither. One that opens
 * counts for the risk that the tool has now: a tool that becomes riskier is asked about again, or
 * refused.
 */
export function agentRule(effect: Effect, { server, tool, level }: AgentSubject): JsonObject {
  const risk = effect === 'deny' || level === 'destructive' ? {} : { risk: atMost(effect, level) };
  return { effect, origin: 'agent', server, tool, ...risk };
}

function atMost(effect: Effect, level: RiskLevel): string | string[] {
  return effect === 'allow' && level === 'readOnly' ? 'readOnly' : ['readOnly', 'additive'];
}

const ownKeys: ReadonlySet<string> = new Set(['effect', 'origin', 'server', 'tool', 'risk']);

/** The effect of a rule as {@link agentRule} writes them for this tool; nothing for all others. */
export function agentRuleEffect(
  rule: unknown,
  { server, tool }: Omit<AgentSubject, 'level'>,
): Effect | undefined {
  if (!isObject(rule) || !Object.keys(rule).every((key) => ownKeys.has(key))) return undefined;
  if (rule.origin !== 'agent' || rule.server !== server || rule.tool !== tool) return undefined;
  return effects.find((effect) => effect === rule.effect);
}

/** Strictest first. */
const effects: readonly Effect[] = ['deny', 'ask', 'allow'];

/** Whether another of the rules is stricter with agents than `effect`, whatever the arguments. */
export function isOverruled(
  effect: Effect,
  subject: AgentSubject,
  others: readonly Rule[],
): boolean {
  return others.some(
    (rule) =>
      effects.indexOf(rule.effect) < effects.indexOf(effect) &&
      rule.when.length === 0 &&
      fitsTool(rule, subject) &&
      fitsAsker(rule, 'agent'),
  );
}
