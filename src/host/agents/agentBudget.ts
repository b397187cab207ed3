import { Allowance, type Allowed } from '../../core/rpc/allowance';

export interface AgentBudgetLimits {
  /** Messages of whatever kind; one counts once more for each 16 KiB that it has, or that answer it. */
  readonly messages: Allowed;
  /** Milliseconds in which messages are taken. */
  readonly timeMs: Allowed;
}

/** Of one agent. A call takes three or four messages, and a minute has 120 calls of all agents. */
export const agentBudgetLimits: AgentBudgetLimits = {
  messages: { atOnce: 1_000, perSecond: 50 },
  timeMs: { atOnce: 1_000, perSecond: 200 },
};

/** Of all agents of a window together. */
export const agentsBudgetLimits: AgentBudgetLimits = {
  messages: { atOnce: 4_000, perSecond: 200 },
  timeMs: { atOnce: 2_000, perSecond: 300 },
};

const bytesOfMessage = 16 * 1024;

/**
 * What agents may have a window do. Who has used it up loses nothing: nothing more is read from them
 * until there is some again.
 */
export class AgentBudget {
  readonly #messages: Allowance;
  readonly #timeMs: Allowance;
  readonly #all: AgentBudget | undefined;

  /** @param all what this agent shares with all others */
  constructor(limits: AgentBudgetLimits, all?: AgentBudget) {
    this.#messages = new Allowance(limits.messages);
    this.#timeMs = new Allowance(limits.timeMs);
    this.#all = all;
  }

  /** Milliseconds until the next message may be taken; 0: now. */
  get waitMs(): number {
    return Math.max(this.#messages.waitMs, this.#timeMs.waitMs, this.#all?.waitMs ?? 0);
  }

  /** One message of so many bytes, and the milliseconds that it took. */
  spend(bytes: number, ms: number): void {
    this.#messages.spend(1 + bytes / bytesOfMessage);
    this.#timeMs.spend(ms);
    this.#all?.spend(bytes, ms);
  }
}
