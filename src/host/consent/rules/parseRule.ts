import { riskLevels } from '../../../core/risk';
import { type Effect, type RulePlace, requesters } from '../facts/callFacts';
import { parseGlob, parsePointer } from './glob';
import {
  type ReportRuleProblem,
  type Rule,
  type RuleProblem,
  type RuleProblemCode,
  type Condition,
  type PlaceConditions,
  ruleKeys,
} from './rule';
import { isObject } from '../../../core/json/shapes';
import { parsePattern } from '../../../core/bounds/patterns';
import { parseHostPattern, type HostPattern } from './hosts';

export interface ParsedRule {
  /** Undefined for an allow that can never allow. */
  readonly rule?: Rule;
  readonly problems: readonly RuleProblem[];
}

/** Parses one rule on the strict side; see `parseRules`. Never throws. */
export function parseRule(value: unknown, place: RulePlace): ParsedRule {
  const complaints: {
    code: RuleProblemCode;
    path: readonly (string | number)[];
    detail?: string;
  }[] = [];
  const complain: ReportRuleProblem = (code, path, detail) =>
    complaints.push({ code, path, ...(detail === undefined ? {} : { detail }) });

  const read = isObject(value) ? readRecord(value, complain) : unreadable(complain);
  const isAllowed = read.effect !== 'allow' || place.scope === 'user';
  // The rule has no effect here in any case, so its other problems are not reported.
  if (!isAllowed)
    complaints.splice(0, complaints.length, { code: 'allowIgnored', path: ['effect'] });

  const outcome =
    read.effect === 'allow' ? 'neverAllows' : read.isEffectKnown ? 'fitsMore' : 'deniesInstead';
  const { scope, folder, index } = place;
  const problems = complaints.map(({ code, path, detail }): RuleProblem => ({
    code,
    severity: 'error',
    scope: { scope, ...(folder === undefined ? {} : { folder }) },
    path: [index, ...path],
    // Without a valid reason, the rule still applies, unless it allows.
    ...(code === 'invalidReason' && outcome === 'fitsMore' ? {} : { outcome }),
    ...(detail === undefined ? {} : { detail }),
  }));
  if (read.effect === 'allow' && problems.length > 0) return { problems };
  const { isEffectKnown: _, ...parts } = read;
  return { rule: { ...parts, place, isReadStrictly: problems.length > 0 }, problems };
}

interface ReadRule extends Omit<Rule, 'place' | 'isReadStrictly'> {
  readonly isEffectKnown: boolean;
}

function unreadable(complain: ReportRuleProblem): ReadRule {
  complain('notAnObject', []);
  return { effect: 'deny', isEffectKnown: false, when: [] };
}

function readRecord(
  record: Readonly<Record<string, unknown>>,
  complain: ReportRuleProblem,
): ReadRule {
  for (const key of Object.keys(record)) {
    if (!ruleKeys.includes(key)) complain('unknownKey', [key], key);
  }
  // Reads own properties only, because settings may contain a key such as `__proto__`.
  const part = <T>(key: string, read: (value: unknown) => T | undefined): T | undefined =>
    Object.hasOwn(record, key) ? read(record[key]) : undefined;

  const effect = part('effect', parseEffect);
  if (effect === undefined)
    complain('invalidEffect', Object.hasOwn(record, 'effect') ? ['effect'] : []);
  const globOf = (key: string) => (value: unknown) => {
    const glob = typeof value === 'string' ? parseGlob(value) : undefined;
    if (glob === undefined) complain('invalidGlob', [key]);
    return glob;
  };
  const server = part('server', globOf('server'));
  const tool = part('tool', globOf('tool'));
  const risk = part('risk', (value) => parseChoices(value, riskLevels, 'risk', complain));
  const origin = part('origin', (value) => parseChoices(value, requesters, 'origin', complain));
  const when = part('when', (value) => parseWhen(value, complain));
  const reason = part('reason', (value) => {
    if (typeof value === 'string') return value;
    complain('invalidReason', ['reason']);
    return undefined;
  });
  return {
    effect: effect ?? 'deny',
    isEffectKnown: effect !== undefined,
    when: when ?? [],
    ...(server === undefined ? {} : { server }),
    ...(tool === undefined ? {} : { tool }),
    ...(risk === undefined ? {} : { risk }),
    ...(origin === undefined ? {} : { origin }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function parseEffect(value: unknown): Effect | undefined {
  return value === 'allow' || value === 'ask' || value === 'deny' ? value : undefined;
}

const problemOfChoices = { risk: 'invalidRisk', origin: 'invalidOrigin' } as const;

/**
 * Reads one or several of `choices`. An unknown value might have meant any of them, so the rule is
 * not limited then.
 */
function parseChoices<T extends string>(
  value: unknown,
  choices: readonly T[],
  key: keyof typeof problemOfChoices,
  complain: ReportRuleProblem,
): readonly T[] | undefined {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const known = given.flatMap((each) => choices.filter((choice) => choice === each));
  if (given.length > 0 && known.length === given.length) return known;
  const index = given.findIndex((each) => !choices.some((choice) => choice === each));
  complain(problemOfChoices[key], Array.isArray(value) && index >= 0 ? [key, index] : [key]);
  return undefined;
}

/** Reads the valid parts of `when` and reports the others. Empty objects have no effect. */
function parseWhen(value: unknown, complain: ReportRuleProblem): readonly PlaceConditions[] {
  if (!isObject(value) || Object.keys(value).length === 0) {
    complain('invalidWhen', ['when']);
    return [];
  }
  return Object.entries(value).flatMap(([text, given]) => {
    const pointer = parsePointer(text);
    if (pointer === undefined) {
      complain('invalidPointer', ['when', text], text);
      return [];
    }
    const conditions = parseConditions(given, (code, path, detail) =>
      complain(code, ['when', text, ...path], detail),
    );
    return conditions.length === 0 ? [] : [{ pointer, conditions }];
  });
}

function parseConditions(value: unknown, complain: ReportRuleProblem): readonly Condition[] {
  if (!isObject(value) || Object.keys(value).length === 0) {
    complain('invalidCondition', []);
    return [];
  }
  return Object.entries(value).flatMap(([kind, given]) => {
    const condition = parseCondition(kind, given, complain);
    return condition === undefined ? [] : [condition];
  });
}

function parseCondition(
  kind: string,
  value: unknown,
  complain: ReportRuleProblem,
): Condition | undefined {
  switch (kind) {
    case 'equals':
      return { kind, value };
    case 'matches': {
      const pattern = typeof value === 'string' ? parsePattern(value) : undefined;
      if (pattern !== undefined) return { kind, pattern };
      complain('invalidRegex', [kind]);
      return undefined;
    }
    case 'startsWith':
      if (typeof value === 'string' && value !== '') return { kind, text: value };
      break;
    case 'insideWorkspace':
      if (typeof value === 'boolean') return { kind, isInside: value };
      break;
    case 'exists':
      if (typeof value === 'boolean') return { kind, isThere: value };
      break;
    case 'hostIn': {
      const hosts = parseHosts(value, complain);
      return hosts === undefined ? undefined : { kind, hosts };
    }
    default:
      complain('unknownKey', [kind], kind);
      return undefined;
  }
  complain('invalidCondition', [kind]);
  return undefined;
}

/** An invalid host might have meant any host, so the condition is dropped. */
function parseHosts(
  value: unknown,
  complain: ReportRuleProblem,
): readonly HostPattern[] | undefined {
  if (!Array.isArray(value) || value.length === 0) {
    complain('invalidCondition', ['hostIn']);
    return undefined;
  }
  const hosts = value.map((each: unknown) =>
    typeof each === 'string' ? parseHostPattern(each) : undefined,
  );
  const readable = hosts.filter((host) => host !== undefined);
  if (readable.length === hosts.length) return readable;
  complain('invalidHost', ['hostIn', hosts.indexOf(undefined)]);
  return undefined;
}
