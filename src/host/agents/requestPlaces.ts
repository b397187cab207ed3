import { ProtocolError } from '@modelcontextprotocol/server';

/** Of JSON-RPC, for whatever a server has no number of its own for. */
export const refusalCode = -32_000;

/** What goes on at the same time for one agent. */
export class RequestPlaces {
  readonly #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Does what a request wants. Its place is free once that has ended, and not before: a request that
   * was cancelled may go on for a while. @throws {ProtocolError} when all places are taken
   */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#limit) throw new ProtocolError(refusalCode, tooMany(this.#limit));
    this.#taken += 1;
    try {
      return await work();
    } finally {
      this.#taken -= 1;
    }
  }
}

/** What an agent hears that asks for more at once. */
export function tooMany(limit: number): string {
  return `Toolgate takes ${limit} requests at the same time, each with an id of its own.`;
}
