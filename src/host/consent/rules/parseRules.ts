import type { RulePlace } from '../facts/callFacts';
import { parseRule } from './parseRule';
import type { Rule, RuleProblem, RuleScope, RuleSources } from './rule';

/** More than a person writes; what stands behind them is not looked at. */
const maxRules = 1_000;

export interface ParsedRules {
  readonly rules: readonly Rule[];
  readonly problems: readonly RuleProblem[];
}

/**
 * All rules in the order user, machine, workspace, folders, and what is wrong with them. What cannot be
 * read counts as strictly as it can be meant: an allow allows nothing, a deny or ask loses the
 * part and so fits more, an unknown effect denies, and a setting that is no list asks about every
 * call. An allow outside the user's own settings is ignored. Never throws.
 */
export function parseRules({ user, machine, workspace, folders }: RuleSources): ParsedRules {
  const parsed = [
    parseScope(user, { scope: 'user' }),
    parseScope(machine, { scope: 'machine' }),
    parseScope(workspace, { scope: 'workspace' }),
    ...folders.map(({ folder, value }) => parseScope(value, { scope: 'folder', folder })),
  ];
  return {
    rules: parsed.flatMap(({ rules }) => rules),
    problems: parsed.flatMap(({ problems }) => problems),
  };
}

/** The rules of one scope; `undefined` is none. */
function parseScope(value: unknown, scope: RuleScope): ParsedRules {
  if (value === undefined) return { rules: [], problems: [] };
  if (!Array.isArray(value)) {
    return {
      rules: [standIn('ask', { ...scope, index: 0 })],
      problems: [{ code: 'notAList', severity: 'error', scope, path: [], outcome: 'asksAlways' }],
    };
  }
  const parsed = value
    .slice(0, maxRules)
    .map((each, index) => parseRule(each, { ...scope, index }));
  const rules = parsed.flatMap(({ rule }) => (rule === undefined ? [] : [rule]));
  const problems = parsed.flatMap((each) => each.problems);
  if (value.length <= maxRules) return { rules, problems };
  return {
    rules: [...rules, standIn('deny', { ...scope, index: maxRules })],
    problems: [
      ...problems,
      {
        code: 'tooManyRules',
        severity: 'error',
        scope,
        path: [maxRules],
        outcome: 'deniesInstead',
        detail: String(maxRules),
      },
    ],
  };
}

/** Fits every call, in place of what could not be read. */
function standIn(effect: 'ask' | 'deny', place: RulePlace): Rule {
  return { effect, place, when: [], isReadStrictly: true };
}
