import { McpError, type MessageFlood } from '../errors';
import { TokenBucket, type TokenBucketLimits } from './tokenBucket';

export interface FloodLimits {
  /** Lines, events and values that are not messages. A server may log its whole start to stdout. */
  readonly garbage: TokenBucketLimits;
  /** Requests of the server of any kind. */
  readonly requests: TokenBucketLimits;
  /** Messages in one batch, which are all processed in one turn. */
  readonly maxBatch: number;
}

const floodLimits: FloodLimits = {
  garbage: { atOnce: 5_000, perSecond: 500 },
  requests: { atOnce: 2_000, perSecond: 100 },
  maxBatch: 1_000,
};

/**
 * Counts what a server sends besides answers and notifications, and reports once when it is too
 * much.
 */
export class ServerFloods {
  readonly #limits: FloodLimits;
  readonly #garbage: TokenBucket;
  readonly #requests: TokenBucket;
  #flood: McpError | undefined;
  #end: ((reason: McpError) => void) | undefined;

  constructor(limits: FloodLimits = floodLimits) {
    this.#limits = limits;
    this.#garbage = new TokenBucket(limits.garbage);
    this.#requests = new TokenBucket(limits.requests);
  }

  /** Called with the reason to end the connection, even if the flood came earlier. */
  set onFlood(end: (reason: McpError) => void) {
    this.#end = end;
    if (this.#flood !== undefined) end(this.#flood);
  }

  /** Returns false if another value that is not a message exceeds the limit. */
  takesGarbage(): boolean {
    return this.#flood === undefined && (this.#garbage.take() || this.#refuse('garbage'));
  }

  /** Returns false if another request of the server exceeds the limit. */
  takesRequest(): boolean {
    return this.#flood === undefined && (this.#requests.take() || this.#refuse('requests'));
  }

  /** Returns false if a batch of this many messages exceeds the limit. */
  takesBatch(length: number): boolean {
    if (this.#flood !== undefined) return false;
    return length <= this.#limits.maxBatch || this.#refuse('batch');
  }

  #refuse(flood: MessageFlood): false {
    const { garbage, requests, maxBatch } = this.#limits;
    const limit = { garbage: garbage.atOnce, requests: requests.atOnce, batch: maxBatch }[flood];
    this.#flood = new McpError('serverFlood', { flood, limit });
    this.#end?.(this.#flood);
    return false;
  }
}
