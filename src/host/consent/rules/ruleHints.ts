import type { Tool } from '../../../core/types';
import type { RiskLevel } from '../../../core/risk';
import { isSameJson, isJsonObject } from '../../../core/json/shapes';
import { requesters } from '../facts/callFacts';
import { fitsGlob, isWiderGlob } from './glob';
import { fitsTool } from './matchRules';
import type { Condition, PlaceConditions, Rule, RuleProblem, RuleScope } from './rule';
import type { JsonObject, JsonValue } from '../../../core/json/jsonValue';

/** A configured server, with its tools while it runs. */
export interface KnownServer {
  readonly id: string;
  /** Undefined while it does not run and its tools are unknown. */
  readonly tools?: readonly { readonly tool: Tool; readonly level: RiskLevel }[];
}

/**
 * Finds what may surprise the author of a valid rule: an allow that never takes precedence, names
 * that nothing known has, arguments that no matching tool takes. Returns at most one hint of each
 * kind for a rule.
 */
export function findRuleHints(
  rules: readonly Rule[],
  servers: readonly KnownServer[],
): readonly RuleProblem[] {
  return rules.flatMap((rule) => [...winnerHints(rule, rules), ...nameHints(rule, servers)]);
}

/** Returns the patterns among `sources`, in every rule that uses them. */
export function findSlowPatterns(
  rules: readonly Rule[],
  sources: ReadonlySet<string>,
): readonly RuleProblem[] {
  return rules.flatMap(({ when, place: { index, ...scope } }) =>
    when.flatMap(({ pointer, conditions }) =>
      conditions
        .filter((each) => each.kind === 'matches' && sources.has(each.pattern.source))
        .map((): RuleProblem => {
          const path = [index, 'when', pointer.text, 'matches'];
          return { code: 'slowRegex', severity: 'error', scope, path };
        }),
    ),
  );
}

function winnerHints(rule: Rule, rules: readonly Rule[]): RuleProblem[] {
  if (rule.effect !== 'allow') return [];
  const winner = rules.find((other) => other.effect !== 'allow' && isWiderRule(other, rule));
  if (winner === undefined) return [];
  return [{ ...hint(rule, 'neverWins', []), winner: winner.place }];
}

/**
 * Returns true if `wide`, which tightens, certainly matches whenever `narrow`, which allows, does.
 */
function isWiderRule(wide: Rule, narrow: Rule): boolean {
  const { risk: risks, origin: origins } = wide;
  // An allow without an origin applies to everything but agents.
  const asking = narrow.origin ?? requesters.filter((asker) => asker !== 'agent');
  return (
    (origins === undefined || asking.every((asker) => origins.includes(asker))) &&
    isWiderGlob(wide.server, narrow.server) &&
    isWiderGlob(wide.tool, narrow.tool) &&
    (risks === undefined || (narrow.risk?.every((level) => risks.includes(level)) ?? false)) &&
    wide.when.every((place) => isAmong(place, narrow.when))
  );
}

function isAmong(
  { pointer, conditions }: PlaceConditions,
  places: readonly PlaceConditions[],
): boolean {
  const there = places.find((place) => place.pointer.text === pointer.text);
  return conditions.every(
    (each) => there?.conditions.some((other) => isSame(each, other)) ?? false,
  );
}

function isSame(one: Condition, other: Condition): boolean {
  if (one.kind === 'matches' && other.kind === 'matches') {
    return one.pattern.source === other.pattern.source;
  }
  return one.kind !== 'matches' && isSameJson(one, other);
}

function nameHints(rule: Rule, servers: readonly KnownServer[]): RuleProblem[] {
  const { server, tool, when } = rule;
  const ignoresCase = rule.effect !== 'allow';
  const fitting = servers.filter(
    ({ id }) => server === undefined || fitsGlob(server, id, ignoresCase),
  );
  if (fitting.length === 0) {
    return server === undefined ? [] : [hint(rule, 'noSuchServer', ['server'], server.pattern)];
  }
  // A server that does not run may have any tools.
  const running = fitting.filter((each) => each.tools !== undefined);
  if (running.length < fitting.length) return [];
  const named = running.flatMap(({ id, tools = [] }) =>
    tools.filter(({ tool: { name }, level }) => {
      const { risk: _, ...anyRisk } = rule;
      return fitsTool(anyRisk, { server: id, tool: name, level });
    }),
  );
  if (named.length === 0) {
    return tool === undefined ? [] : [hint(rule, 'noSuchTool', ['tool'], tool.pattern)];
  }
  return when
    .filter(({ pointer }) =>
      named.every((each) => !mayHaveArgument(each.tool.inputSchema, pointer.steps)),
    )
    .slice(0, 1)
    .map(({ pointer }) => hint(rule, 'noSuchArgument', ['when', pointer.text], pointer.text));
}

function hint(
  { place: { scope, folder, index } }: Rule,
  code: RuleProblem['code'],
  path: RuleProblem['path'],
  detail?: string,
): RuleProblem {
  const where: RuleScope = { scope, ...(folder === undefined ? {} : { folder }) };
  return {
    code,
    severity: 'hint',
    scope: where,
    path: [index, ...path],
    ...(detail === undefined ? {} : { detail }),
  };
}

/** Keywords that can allow properties which are unknown here. */
const openKeywords =
  '$ref $dynamicRef $recursiveRef allOf anyOf oneOf if then else not patternProperties dependentSchemas dependencies'.split(
    ' ',
  );

/**
 * Returns true if a value that matches `schema` may have something at these steps of a JSON pointer
 * with `*`, or if that is not obvious. Properties that a schema does not list count as missing
 * although JSON Schema allows them, because servers ignore them.
 */
export function mayHaveArgument(schema: JsonValue, tokens: readonly string[]): boolean {
  const [token, ...rest] = tokens;
  if (token === undefined || !isJsonObject(schema)) return true;
  if (openKeywords.some((key) => Object.hasOwn(schema, key))) return true;
  const below = [...inObject(schema, token), ...inArray(schema, token)];
  return below.some((each) => mayHaveArgument(each, rest));
}

function inObject(schema: JsonObject, token: string): readonly JsonValue[] {
  if (!hasType(schema, 'object')) return [];
  const { properties, additionalProperties } = schema;
  const more = additionalProperties;
  if (!isJsonObject(properties)) return more === false ? [] : [true];
  const named = token === '*' ? Object.values(properties) : [];
  const own = Object.hasOwn(properties, token) ? properties[token] : undefined;
  const others = more === true || isJsonObject(more) ? [more] : [];
  return [...named, ...(own === undefined ? [] : [own]), ...others];
}

function inArray(schema: JsonObject, token: string): readonly JsonValue[] {
  if (!hasType(schema, 'array') || !/^(?:\*|\d+)$/.test(token)) return [];
  const { items, prefixItems } = schema;
  const lists = [items, prefixItems].flatMap((each) => (Array.isArray(each) ? each : []));
  if (lists.length === 0 && items === undefined) return [true];
  return [...lists, ...(isJsonObject(items) ? [items] : []), ...(items === true ? [true] : [])];
}

function hasType({ type }: JsonObject, wanted: string): boolean {
  return type === undefined || type === wanted || (Array.isArray(type) && type.includes(wanted));
}
