import type { RulePlace } from '../facts/callFacts';
import { parseRule } from './parseRule';
import type { Rule, RuleProblem, RuleScope, RuleSources } from './rule';

/** Further rules are not read. */
const maxRules = 1_000;

export interface ParsedRules {
  readonly rules: readonly Rule[];
  readonly problems: readonly RuleProblem[];
}

/**
 * Parses all rules in the order user, machine, workspace, folders, and their problems. Invalid
 * parts are applied as strictly as possible: an allow allows nothing, a deny or ask loses the part
 * and so matches more, an unknown effect denies, and a setting that is no list asks about every
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

/** Parses the rules of one scope; `undefined` has none. */
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

/** Makes a rule that matches every call, in place of an unreadable one. */
function standIn(effect: 'ask' | 'deny', place: RulePlace): Rule {
  return { effect, place, when: [], isReadStrictly: true };
}
