import { alwaysAsk, type FileValueKind } from '../../core/callFiles/callVariables';
import type { CallOrigin, CallFacts, PinState, RuleMatch, Effect } from './facts/callFacts';
import type { ServerConfig } from '../configuration/serverConfig';
import type { ToolEntry } from '../connections/snapshot';
import type { Tool } from '../../core/types';
import type { Grant, GrantChoice, SuspendedGrant } from './grants/grant';
import type { Look, SharedChanges } from '../storage/sharedChanges';

/** The parts of a call that the user saw and approved. */
export interface ApprovedCall extends Pick<CallFacts, 'config' | 'entry' | 'origin'> {
  readonly decision: Decision;
}

/** The part of the grants that decisions need. */
export interface GrantAccess {
  covering(
    facts: CallFacts,
    look?: Look,
  ): Promise<{ readonly grant?: Grant; readonly suspended: readonly SuspendedGrant[] }>;
  remember(
    facts: CallFacts,
    choice: GrantChoice,
    origin: CallOrigin,
    tools: readonly ToolEntry[],
  ): Promise<unknown>;
  noteUse(grant: Grant): void;
}

/** The part of the pins that decisions need. */
export interface PinAccess {
  stateOf(config: ServerConfig, tool: Tool, look?: Look): Promise<PinState>;
  accept(config: ServerConfig, tool: Tool): Promise<void>;
}

export interface ConsentOptions {
  readonly rules: { matching(facts: CallFacts): Promise<readonly RuleMatch[]> };
  readonly grants: GrantAccess;
  readonly pins: PinAccess;
  /** Returns the facts with the tool's effective risk. Rejects if it cannot be determined. */
  readonly overrides: { effective(facts: CallFacts, look?: Look): Promise<CallFacts> };
  /** The change counter of all windows, read once for each decision. Defaults to none. */
  readonly changes?: Pick<SharedChanges, 'look'>;
  /** Returns what an answer may be remembered for, smallest first. */
  readonly offeredGrants: (facts: CallFacts, isAskedByRule: boolean) => readonly GrantChoice[];
  /** Returns the current tools of a server, for grants that cover several. */
  readonly toolsOf: (serverId: string) => readonly ToolEntry[];
  /** Called with what could not be stored. The call continues, and the next one asks again. */
  readonly onProblem: (error: unknown) => void;
}

/**
 * Decides whether a call needs a question: collects the applicable rules, grants and pins, has them
 * evaluated, and stores the user's answers.
 */
export class Consent {
  readonly #options: ConsentOptions;

  constructor(options: ConsentOptions) {
    this.#options = options;
  }

  /**
   * Returns the decision about a call, and the facts behind it with the tool's current risk. Never
   * rejects: if something cannot be read, users are asked, agents are denied, and a deny holds.
   */
  async evaluate(
    given: CallFacts,
  ): Promise<{ readonly facts: CallFacts; readonly decision: Decision }> {
    const { overrides, changes } = this.#options;
    const look = await changes?.look();
    let facts = given;
    const failures: unknown[] = [];
    try {
      facts = await overrides.effective(given, look);
    } catch (error) {
      failures.push(error);
    }
    return { facts, decision: await this.#decide(facts, failures, look) };
  }

  async #decide(facts: CallFacts, failures: readonly unknown[], look: Look): Promise<Decision> {
    const { rules, grants, pins } = this.#options;
    const all = await Promise.allSettled([
      rules.matching(facts),
      grants.covering(facts, look),
      pins.stateOf(facts.config, facts.entry.tool, look),
    ]);
    const [matching, covering, pin] = all;
    const evidence: Evidence = {
      rules: valueOf(matching) ?? [],
      suspended: [],
      ...valueOf(covering),
      pin: valueOf(pin) ?? { kind: 'known' },
      ...(facts.fileValues === undefined ? {} : { fileValues: facts.fileValues }),
      ...(facts.origin === 'agent'
        ? { agent: { isDestructive: facts.entry.risk.level === 'destructive' } }
        : {}),
    };
    const decision = decide(evidence);
    const failed = [
      ...failures,
      ...all.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : [])),
    ];
    if (failed.length === 0 || decision.effect === 'deny') return decision;
    const cause = { kind: 'unreadable', detail: String(failed[0]) } as const;
    // An agent is denied if a user would have to judge with incomplete information.
    return { ...decision, effect: facts.origin === 'agent' ? 'deny' : 'ask', cause };
  }

  /** Returns what the answer about this call may be remembered for, smallest first. */
  offered(facts: CallFacts, { rules }: Decision): readonly GrantChoice[] {
    const { fileValues = [] } = facts;
    if (alwaysAsk(fileValues)) return [];
    const isAskedByRule = rules.some(({ effect }) => effect === 'ask');
    const offered = this.#options.offeredGrants(facts, isAskedByRule);
    // A wider permission would not cover the next such call.
    return fileValues.length === 0 ? offered : offered.filter(({ scope }) => scope === 'arguments');
  }

  /**
   * Handles the user's approval: accepts the tool's definition and stores the grant. Never rejects;
   * what cannot be stored is reported, and the next call asks again.
   */
  async agreed(facts: CallFacts, shown: ApprovedCall, choice?: GrantChoice): Promise<void> {
    const { grants, pins, toolsOf, onProblem } = this.#options;
    const { config, entry, origin, decision } = shown;
    const kept: Promise<unknown>[] = [];
    if (decision.pin.kind !== 'known') kept.push(pins.accept(config, entry.tool));
    if (choice !== undefined) kept.push(grants.remember(facts, choice, origin, toolsOf(config.id)));
    for (const each of await Promise.allSettled(kept)) {
      if (each.status === 'rejected') onProblem(each.reason);
    }
  }

  /** Handles a call that is made without a question. */
  allowed({ cause }: Decision): void {
    if (cause.kind === 'grant') this.#options.grants.noteUse(cause.grant);
  }
}

function valueOf<T>(settled: PromiseSettledResult<T>): T | undefined {
  return settled.status === 'fulfilled' ? settled.value : undefined;
}

/** The reason for a decision. */
export type DecisionCause =
  | { readonly kind: 'rule'; readonly rule: RuleMatch }
  | { readonly kind: 'grant'; readonly grant: Grant }
  /** The tool is new or changed. */
  | { readonly kind: 'pin'; readonly pin: Exclude<PinState, { kind: 'known' }> }
  /** A call file filled in argument values that it does not contain. */
  | { readonly kind: 'fileValues'; readonly values: readonly FileValueKind[] }
  /** An agent requests a destructive tool, and no rule of the user opens it to agents. */
  | { readonly kind: 'humanOnly' }
  /** No rule or permission covers the call, so the user is asked. */
  | { readonly kind: 'noRule' }
  /** Required data could not be read: users are asked, agents are denied. */
  | { readonly kind: 'unreadable'; readonly detail: string };

/** The decision about a call, with all rules and grants that were considered. */
export interface Decision {
  readonly effect: Effect;
  readonly cause: DecisionCause;
  /** Every rule that applies, strongest first. */
  readonly rules: readonly RuleMatch[];
  /** The grant that covers the call, even if something stricter decided. */
  readonly grant?: Grant;
  /** Grants that would cover it if the server or the tool had not changed. */
  readonly suspended: readonly SuspendedGrant[];
  readonly pin: PinState;
}

/** The rules, grants and pins that a decision considers. */
export interface Evidence {
  /** In the order of their scopes: user, workspace, folders. */
  readonly rules: readonly RuleMatch[];
  readonly grant?: Grant;
  readonly suspended: readonly SuspendedGrant[];
  readonly pin: PinState;
  /** Defaults to none. */
  readonly fileValues?: readonly FileValueKind[];
  /** Set if an agent requests the call. */
  readonly agent?: { readonly isDestructive: boolean };
}

/**
 * Decides about a call. A deny takes precedence over everything. A new or changed tool is always
 * asked about. Arguments with values that a call file filled in are asked about, unless a grant is
 * for exactly these arguments and none of them may be a secret. An ask takes precedence over an
 * allow; a grant allows like a rule; otherwise the user is asked. Agents are denied definitions
 * that the user has not accepted, and destructive tools that no rule of the user opens to them.
 * Pure, and the only function that combines these.
 */
export function decide(evidence: Evidence): Decision {
  const { grant, pin, suspended, fileValues = [], agent } = evidence;
  const rules = evidence.rules.toSorted(
    (one, other) => effects.indexOf(one.effect) - effects.indexOf(other.effect),
  );
  const first = (effect: Effect): RuleMatch | undefined =>
    rules.find((rule) => rule.effect === effect);
  const found = {
    rules,
    suspended,
    pin,
    ...(grant === undefined ? {} : { grant }),
  };
  const deny = first('deny');
  if (deny !== undefined) return { effect: 'deny', cause: { kind: 'rule', rule: deny }, ...found };
  if (pin.kind !== 'known') {
    // An agent may not use a definition that the user has not seen.
    const effect = agent === undefined ? 'ask' : 'deny';
    return { effect, cause: { kind: 'pin', pin }, ...found };
  }
  if (agent?.isDestructive === true && !rules.some(({ opensToAgents }) => opensToAgents)) {
    return { effect: 'deny', cause: { kind: 'humanOnly' }, ...found };
  }
  const isAgreedTo = grant?.scope === 'arguments' && !alwaysAsk(fileValues);
  if (fileValues.length > 0 && !isAgreedTo) {
    return { effect: 'ask', cause: { kind: 'fileValues', values: fileValues }, ...found };
  }
  const ask = first('ask');
  if (ask !== undefined) return { effect: 'ask', cause: { kind: 'rule', rule: ask }, ...found };
  if (grant !== undefined) return { effect: 'allow', cause: { kind: 'grant', grant }, ...found };
  const allow = first('allow');
  if (allow !== undefined) {
    return { effect: 'allow', cause: { kind: 'rule', rule: allow }, ...found };
  }
  return { effect: 'ask', cause: { kind: 'noRule' }, ...found };
}

/** Strictest first. */
const effects: readonly Effect[] = ['deny', 'ask', 'allow'];
