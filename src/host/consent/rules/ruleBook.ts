import {
  type RulePlace,
  type CallFacts,
  type RuleMatch,
  type DecidedCallFacts,
  requesterOf,
} from '../facts/callFacts';
import { parseRule } from './parseRule';
import type { Rule, RuleProblem, RuleScope, RuleSources } from './rule';
import { Emitter } from 'vscode-jsonrpc/node';
import type { JsonObject } from '../../../core/json/jsonValue';
import { PatternTime } from '../../../core/bounds/patterns';
import { fitsGlob } from './glob';
import {
  decisionPatternsMs,
  fitsRequester,
  fitsTool,
  matchRules,
  toRuleMatch,
  type PlaceOfPath,
} from './matchRules';
import { replay, type RuleReplay } from './replay';

/** Further rules are not read. */
const maxRules = 1_000;

interface ParsedRules {
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

export interface RuleBookOptions {
  /**
   * Determines whether a path leads into the workspace; `cwd` is the server's working directory.
   * May reject.
   */
  readonly placeOfPath: PlaceOfPath;
}

/** The facts about a call that rules are matched with. */
export type RuleFacts = Pick<CallFacts, 'config' | 'entry' | 'arguments' | 'origin'>;

/** The current rules. There are none before the first {@link setRules}. */
export class RuleBook {
  readonly #options: RuleBookOptions;
  #parsed: ParsedRules = { rules: [], problems: [] };

  readonly #onDidChange = new Emitter<void>();
  /** Fires after every {@link setRules}. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: RuleBookOptions) {
    this.#options = options;
  }

  /** In the order user, machine, workspace, folders. */
  get rules(): readonly Rule[] {
    return this.#parsed.rules;
  }

  get problems(): readonly RuleProblem[] {
    return this.#parsed.problems;
  }

  /**
   * Returns the places of rules that may let calls of a server run without a question. Starting a
   * server under this name gives these rules an effect.
   */
  allowsFor(serverId: string): readonly RulePlace[] {
    return this.#parsed.rules
      .filter(({ effect }) => effect === 'allow')
      .filter(({ server }) => server === undefined || fitsGlob(server, serverId, false))
      .map(({ place }) => place);
  }

  readonly #slowPatterns = new Set<string>();
  readonly #onDidFindSlow = new Emitter<void>();
  /** Fires when {@link slowPatterns} has grown. */
  readonly onDidFindSlow = this.#onDidFindSlow.event;

  /**
   * Sources of regular expressions that timed out on the arguments of a call, or had no time left.
   * Their rules counted on the strict side.
   */
  get slowPatterns(): ReadonlySet<string> {
    return this.#slowPatterns;
  }

  /** Applies rules from the next decision on. Their problems are in {@link problems}. */
  setRules(sources: RuleSources): void {
    this.#parsed = parseRules(sources);
    this.#slowPatterns.clear();
    this.#onDidChange.fire();
  }

  /**
   * Returns the rules that apply to the call, in order. Never rejects: where a match is
   * undetermined, no allow applies, but every ask and deny.
   */
  async matching(facts: RuleFacts): Promise<readonly RuleMatch[]> {
    const patterns = new PatternTime(decisionPatternsMs);
    const matches = await this.#match(this.#parsed.rules, facts, patterns);
    this.#noteSlow(patterns.undecided);
    return matches;
  }

  /** Returns the rule that denies the tool whatever its arguments are, if there is one. */
  denyingAlways({ config, entry, origin }: Omit<RuleFacts, 'arguments'>): RuleMatch | undefined {
    const subject = { server: config.id, tool: entry.tool.name, level: entry.risk.level };
    const rule = this.#parsed.rules.find(
      (each) =>
        each.effect === 'deny' &&
        each.when.length === 0 &&
        fitsTool(each, subject) &&
        fitsRequester(each, requesterOf(origin)),
    );
    return rule && toRuleMatch(rule);
  }

  /**
   * Returns true if `written`, as a rule of the user settings, would be valid and allow the call.
   */
  async wouldAllow(written: JsonObject, facts: RuleFacts): Promise<boolean> {
    // Converts the rule as if it had been written and read again.
    const user: unknown = JSON.parse(JSON.stringify([written]));
    const { rules, problems } = parseRules({ user, workspace: undefined, folders: [] });
    if (problems.length > 0) return false;
    const matches = await this.#match(rules, facts, new PatternTime(decisionPatternsMs));
    return matches.some(({ effect, isReadStrictly }) => effect === 'allow' && !isReadStrictly);
  }

  #match(
    rules: readonly Rule[],
    { config: { id, transport }, entry, arguments: given, origin }: RuleFacts,
    patterns: PatternTime,
  ): Promise<readonly RuleMatch[]> {
    const cwd = transport.kind === 'stdio' ? transport.cwd : undefined;
    const subject = {
      server: id,
      tool: entry.tool.name,
      level: entry.risk.level,
      asker: requesterOf(origin),
      arguments: given,
      ...(cwd === undefined ? {} : { cwd }),
    };
    return matchRules(rules, subject, this.#options.placeOfPath, patterns);
  }

  #noteSlow(patterns: ReadonlySet<RegExp>): void {
    const known = this.#slowPatterns.size;
    for (const { source } of patterns) this.#slowPatterns.add(source);
    if (this.#slowPatterns.size > known) this.#onDidFindSlow.fire();
  }

  /** Applies `sources` to past calls. */
  tryOn(calls: readonly DecidedCallFacts[], sources: RuleSources): Promise<RuleReplay> {
    return replay(calls, parseRules(sources).rules, this.#options.placeOfPath);
  }

  dispose(): void {
    this.#onDidChange.dispose();
    this.#onDidFindSlow.dispose();
  }
}
