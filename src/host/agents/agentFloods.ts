import { McpError } from '../../core/errors';

export interface AgentFloodLimits {
  /** Questions that agents may raise within {@link perMs}. */
  readonly questions: number;
  readonly perMs: number;
  /** Questions of agents that wait for the person. */
  readonly waiting: number;
}

export const agentFloodLimits: AgentFloodLimits = { questions: 20, perMs: 60_000, waiting: 8 };

/** How often agents, whatever they call themselves, may ask the person something. */
export class AgentFloods {
  readonly #limits: AgentFloodLimits;
  readonly #onFlood: (client: string) => void;
  readonly #now: () => number;
  #asked: number[] = [];
  #waiting = 0;
  #isTold = false;

  /** `onFlood` is called once for each time that agents are stopped for asking too often. */
  constructor(
    onFlood: (client: string) => void,
    limits: AgentFloodLimits = agentFloodLimits,
    now: () => number = () => performance.now(),
  ) {
    this.#onFlood = onFlood;
    this.#limits = limits;
    this.#now = now;
  }

  /**
   * One more question. Returns what has to be called once it needs no answer any more.
   * @throws {McpError} agentPaused
   */
  ask(client: string): () => void {
    const { questions, perMs, waiting } = this.#limits;
    const now = this.#now();
    this.#asked = this.#asked.filter((at) => now - at < perMs);
    if (this.#asked.length >= questions || this.#waiting >= waiting) {
      if (!this.#isTold) this.#onFlood(client);
      this.#isTold = true;
      throw new McpError('agentPaused');
    }
    if (this.#asked.length === 0) this.#isTold = false;
    this.#asked.push(now);
    this.#waiting += 1;
    let isOpen = true;
    return () => {
      if (isOpen) this.#waiting -= 1;
      isOpen = false;
    };
  }
}
