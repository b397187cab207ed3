import { areAlwaysAsked } from '../../core/callFiles/fileValues';
import type { CallOrigin } from './facts/callOrigin';
import type { ServerConfig } from '../configuration/serverConfig';
import type { ToolEntry } from '../connections/snapshot';
import type { Tool } from '../../core/types';
import { decide, type Decision, type Evidence } from './decision';
import type { CallFacts, PinState, RuleMatch } from './facts/callFacts';
import type { Grant, GrantWish, SuspendedGrant } from './grants/grant';
import type { Look, SharedChanges } from '../storage/sharedChanges';

/** What the person has seen of a call and said yes to. */
export interface AgreedCall extends Pick<CallFacts, 'config' | 'entry' | 'origin'> {
  readonly decision: Decision;
}

/** What was remembered, as far as decisions need it. */
export interface GrantAccess {
  covering(
    facts: CallFacts,
    look?: Promise<Look>,
  ): Promise<{ readonly grant?: Grant; readonly suspended: readonly SuspendedGrant[] }>;
  remember(
    facts: CallFacts,
    wish: GrantWish,
    origin: CallOrigin,
    tools: readonly ToolEntry[],
  ): Promise<unknown>;
  noteUse(grant: Grant): void;
}

/** The definitions that were seen before, as far as decisions need them. */
export interface PinAccess {
  stateOf(config: ServerConfig, tool: Tool, look?: Promise<Look>): Promise<PinState>;
  accept(config: ServerConfig, tool: Tool): Promise<void>;
}

export interface ConsentOptions {
  readonly rules: { matching(facts: CallFacts): Promise<readonly RuleMatch[]> };
  readonly grants: GrantAccess;
  readonly pins: PinAccess;
  /** The risk of the tool as the person sees it now. Rejects where that cannot be told. */
  readonly overrides: { effective(facts: CallFacts, look?: Promise<Look>): Promise<CallFacts> };
  /** Where windows tell each other of changes: looked at once for each decision. Absent: nowhere. */
  readonly changes?: Pick<SharedChanges, 'look'>;
  /** What an answer may be remembered for, smallest first. */
  readonly offeredWishes: (facts: CallFacts, isAskedByRule: boolean) => readonly GrantWish[];
  /** The tools of a server as they are now, for grants that cover several. */
  readonly toolsOf: (serverId: string) => readonly ToolEntry[];
  /** What could not be kept: the call goes on, and is asked about the next time. */
  readonly onProblem: (error: unknown) => void;
}

/**
 * Whether a call needs a question: collects what rules, grants and pins say about it, has it
 * weighed, and keeps what the person decided.
 */
export class Consent {
  readonly #options: ConsentOptions;

  constructor(options: ConsentOptions) {
    this.#options = options;
  }

  /**
   * The decision about a call, and the facts it was made from: the risk of the tool may be another
   * one by now. Never rejects: where something cannot be told, a person is asked, an agent is denied,
   * and a deny holds.
   */
  async evaluate(
    given: CallFacts,
  ): Promise<{ readonly facts: CallFacts; readonly decision: Decision }> {
    const { overrides, changes } = this.#options;
    const look = changes?.look();
    const [effective] = await Promise.allSettled([overrides.effective(given, look)]);
    const facts = valueOf(effective) ?? given;
    return { facts, decision: await this.#decide(facts, effective, look) };
  }

  async #decide(
    facts: CallFacts,
    effective: PromiseSettledResult<unknown>,
    look: Promise<Look> | undefined,
  ): Promise<Decision> {
    const { rules, grants, pins } = this.#options;
    const [matching, covering, pin] = await Promise.allSettled([
      rules.matching(facts),
      grants.covering(facts, look),
      pins.stateOf(facts.config, facts.entry.tool, look),
    ]);
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
    const all = [effective, matching, covering, pin];
    const failed = all.find(({ status }) => status === 'rejected');
    if (failed?.status !== 'rejected' || decision.effect === 'deny') return decision;
    const cause = { kind: 'unreadable', detail: String(failed.reason) } as const;
    // An agent is told no where a person would have to judge without knowing all.
    return { ...decision, effect: facts.origin === 'agent' ? 'deny' : 'ask', cause };
  }

  /** What the answer to a question about this call may be remembered for, smallest first. */
  offered(facts: CallFacts, { rules }: Decision): readonly GrantWish[] {
    const { fileValues = [] } = facts;
    if (areAlwaysAsked(fileValues)) return [];
    const isAskedByRule = rules.some(({ effect }) => effect === 'ask');
    const wishes = this.#options.offeredWishes(facts, isAskedByRule);
    // A wider permission would not cover the next such call.
    return fileValues.length === 0 ? wishes : wishes.filter(({ scope }) => scope === 'arguments');
  }

  /**
   * The person said yes to what was shown: the tool is known from now on, and the wish is kept.
   * Never rejects: what cannot be kept is told, and asked about the next time.
   */
  async agreed(facts: CallFacts, shown: AgreedCall, wish?: GrantWish): Promise<void> {
    const { grants, pins, toolsOf, onProblem } = this.#options;
    const { config, entry, origin, decision } = shown;
    const kept: Promise<unknown>[] = [];
    if (decision.pin.kind !== 'known') kept.push(pins.accept(config, entry.tool));
    if (wish !== undefined) kept.push(grants.remember(facts, wish, origin, toolsOf(config.id)));
    for (const each of await Promise.allSettled(kept)) {
      if (each.status === 'rejected') onProblem(each.reason);
    }
  }

  /** The call is made without a question. */
  allowed({ cause }: Decision): void {
    if (cause.kind === 'grant') this.#options.grants.noteUse(cause.grant);
  }
}

function valueOf<T>(settled: PromiseSettledResult<T>): T | undefined {
  return settled.status === 'fulfilled' ? settled.value : undefined;
}
