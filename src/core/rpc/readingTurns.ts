import type { Readable } from 'node:stream';

/** Of a fast pipe or socket, Node reads up to 2 MiB in one turn of the event loop. */
const bytesPerTurn = 512 * 1024;

/** Gives everybody else a turn while a stream brings more than can be taken at once. */
export class ReadingTurns {
  readonly #stream: Readable;
  #bytes = 0;

  /** @param stream one that flows */
  constructor(stream: Readable) {
    this.#stream = stream;
  }

  /** Call for each chunk that was taken. */
  took(chunk: Buffer | string): void {
    this.#bytes += chunk.length;
    if (this.#bytes < bytesPerTurn) return;
    this.#bytes = 0;
    this.#stream.pause();
    setImmediate(() => this.#stream.resume());
  }
}
