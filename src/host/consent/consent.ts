import { alwaysAsk } from '../../core/callFiles/callVariables';
import type { CallOrigin } from './facts/callOrigin';
import type { ServerConfig } from '../configuration/serverConfig';
import type { ToolEntry } from '../connections/snapshot';
import type { Tool } from '../../core/types';
import { decide, type Decision, type Evidence } from './decision';
import type { CallFacts, PinState, RuleMatch } from './facts/callFacts';
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
