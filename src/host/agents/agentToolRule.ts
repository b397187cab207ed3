import { hasInvisibleCharacters } from '../../core/visibleText';
import type { JsonObject } from '../../core/json/jsonValue';
import { isObject } from '../../core/json/shapes';
import type { RiskLevel } from '../../core/risk';
import type { Effect } from '../consent/facts/callFacts';
import { fitsRequester, fitsTool } from '../consent/rules/matchRules';
import { maxGlobChars } from '../consent/rules/glob';
import type { Rule } from '../consent/rules/rule';

/** A tool for which the user chooses an agent rule. */
export interface AgentSubject {
  readonly server: string;
  readonly tool: string;
  readonly level: RiskLevel;
}

/**
 * Returns true if a rule can name this tool alone. Names with pattern characters would match others
 * as well.
 */
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
 * Makes the rule that allows, asks about or denies this tool for agents. A rule that allows or asks
 * is limited to the current risk level, so a tool that becomes riskier is asked about again or
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

/**
 * Returns the effect of a rule that {@link agentRule} wrote for this tool, or `undefined` for any
 * other rule.
 */
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

/** Returns true if another rule is stricter with agents than `effect`, for any arguments. */
export function hasStricterRule(
  effect: Effect,
  subject: AgentSubject,
  others: readonly Rule[],
): boolean {
  return others.some(
    (rule) =>
      effects.indexOf(rule.effect) < effects.indexOf(effect) &&
      rule.when.length === 0 &&
      fitsTool(rule, subject) &&
      fitsRequester(rule, 'agent'),
  );
}
