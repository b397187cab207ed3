import { TokenBucket, type TokenBucketLimits } from '../../core/rpc/tokenBucket';
import { McpError } from '../../core/errors';

export interface AgentBudgetLimits {
  /**
   * Number of messages. A message counts once more for each 16 KiB of its size, or of its answer.
   */
  readonly messages: TokenBucketLimits;
  /** Milliseconds for processing messages. */
  readonly timeMs: TokenBucketLimits;
}

/**
 * Budget of one agent. A call takes three or four messages, and all agents together have 120 calls
 * a minute.
 */
export const agentBudgetLimits: AgentBudgetLimits = {
  messages: { atOnce: 1_000, perSecond: 50 },
  timeMs: { atOnce: 1_000, perSecond: 200 },
};

/** Budget of all agents of a window together. */
export const agentsBudgetLimits: AgentBudgetLimits = {
  messages: { atOnce: 4_000, perSecond: 200 },
  timeMs: { atOnce: 2_000, perSecond: 300 },
};

const bytesOfMessage = 16 * 1024;

/**
 * Limits how much work agents cause in a window. An agent that exceeds its budget loses nothing:
 * its messages are read later.
 */
export class AgentBudget {
  readonly #messages: TokenBucket;
  readonly #timeMs: TokenBucket;
  readonly #all: AgentBudget | undefined;

  /** @param all budget shared by all agents */
  constructor(limits: AgentBudgetLimits, all?: AgentBudget) {
    this.#messages = new TokenBucket(limits.messages);
    this.#timeMs = new TokenBucket(limits.timeMs);
    this.#all = all;
  }

  /** Milliseconds until the next message may be read, or 0. */
  get waitMs(): number {
    return Math.max(this.#messages.waitMs, this.#timeMs.waitMs, this.#all?.waitMs ?? 0);
  }

  /** Charges one message of this size and processing time. */
  spend(bytes: number, ms: number): void {
    this.#messages.spend(1 + bytes / bytesOfMessage);
    this.#timeMs.spend(ms);
    this.#all?.spend(bytes, ms);
  }
}

export interface AgentRateLimits {
  /** Calls that agents may request within {@link perMs}, whatever their outcome. */
  readonly calls: number;
  /** Questions that agents may cause within {@link perMs}. */
  readonly questions: number;
  readonly perMs: number;
  /** Number of agents' questions that may wait for the user. */
  readonly waiting: number;
}

export const agentFloodLimits: AgentRateLimits = {
  calls: 120,
  questions: 20,
  perMs: 60_000,
  waiting: 8,
};

const maxTold = 10;

/** Limits how often all agents together may call tools and cause questions. */
export class AgentRateLimit {
  readonly #limits: AgentRateLimits;
  readonly #onFlood: (client: string) => void;
  readonly #calls: Recent;
  readonly #questions: Recent;
  /** Names of the agents about which the user was notified. */
  readonly #told = new Set<string>();
  #waiting = 0;

  /**
   * @param onFlood called the first time that an agent exceeds a limit, for at most ten names,
   * because a name is only a claim
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

  /** Counts a call. @throws {McpError} agentPaused */
  call(client: string): void {
    if (this.#calls.size >= this.#limits.calls) this.#refuse(this.#calls, client);
    this.#calls.add();
  }

  /**
   * Counts a question and returns the function to call when it is closed.
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

/** Times of recent events. */
class Recent {
  readonly #perMs: number;
  readonly #now: () => number;
  #at: number[] = [];
  /** True if the user was notified and the rate has not dropped since. */
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
