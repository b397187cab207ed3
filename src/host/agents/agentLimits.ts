import { Allowance, type Allowed } from '../../core/rpc/allowance';
import { McpError } from '../../core/errors';

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

export interface AgentRateLimits {
  /** Calls that agents may wish for within {@link perMs}, whatever comes of them. */
  readonly calls: number;
  /** Questions that agents may raise within {@link perMs}. */
  readonly questions: number;
  readonly perMs: number;
  /** Questions of agents that wait for the person. */
  readonly waiting: number;
}

export const agentFloodLimits: AgentRateLimits = {
  calls: 120,
  questions: 20,
  perMs: 60_000,
  waiting: 8,
};

const maxTold = 10;

/** How often agents, whatever they call themselves, may call, and ask the person something. */
export class AgentRateLimit {
  readonly #limits: AgentRateLimits;
  readonly #onFlood: (client: string) => void;
  readonly #calls: Recent;
  readonly #questions: Recent;
  /** Whoever was told of them has dismissed it, or still has it before them. */
  readonly #told = new Set<string>();
  #waiting = 0;

  /**
   * `onFlood` is called the first time that an agent is stopped for asking too often, and for ten
   * agents at most: a name is only a claim.
   */
  constructor(
    onFlood: (client: string) => void,
    limits: AgentRateLimits = agentFloodLimits,
    now: () => number = () => performance.now(),
  ) {
    this.#onFlood = onFlood;
    this.#limits = limits;
    this.#calls = new Recent(limits.perMs, now);
    this.#questions = new Recent(limits.perMs, now);
  }

  /** One more call. @throws {McpError} agentPaused */
  call(client: string): void {
    if (this.#calls.size >= this.#limits.calls) this.#refuse(this.#calls, client);
    this.#calls.add();
  }

  /**
   * One more question. Returns what has to be called once it needs no answer any more.
   * @throws {McpError} agentPaused
   */
  ask(client: string): () => void {
    const { questions, waiting } = this.#limits;
    if (this.#questions.size >= questions || this.#waiting >= waiting) {
      this.#refuse(this.#questions, client);
    }
    this.#questions.add();
    this.#waiting += 1;
    let isOpen = true;
    return () => {
      if (isOpen) this.#waiting -= 1;
      isOpen = false;
    };
  }

  #refuse(recent: Recent, client: string): never {
    if (!recent.isTold && !this.#told.has(client) && this.#told.size < maxTold) {
      this.#told.add(client);
      this.#onFlood(client);
    }
    recent.isTold = true;
    throw new McpError('agentPaused');
  }
}

/** What happened within the last while. */
class Recent {
  readonly #perMs: number;
  readonly #now: () => number;
  #at: number[] = [];
  /** The person was told that it is too much, and there was no quiet since. */
  isTold = false;

  constructor(perMs: number, now: () => number) {
    this.#perMs = perMs;
    this.#now = now;
  }

  get size(): number {
    const now = this.#now();
    const first = this.#at.findIndex((at) => now - at < this.#perMs);
    if (first !== 0) this.#at = first === -1 ? [] : this.#at.slice(first);
    return this.#at.length;
  }

  add(): void {
    if (this.size === 0) this.isTold = false;
    this.#at.push(this.#now());
  }
}
