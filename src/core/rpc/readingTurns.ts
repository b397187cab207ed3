import type { Readable } from 'node:stream';

/** For a fast pipe or socket, Node reads up to 2 MiB in one turn of the event loop. */
const bytesPerTurn = 512 * 1024;
/** Limits the processing of received data in one turn, to a tenth of what a user notices. */
const msPerTurn = 5;

/** Yields to other work while a stream delivers more than can be processed at once. */
export class ReadingTurns {
  readonly #stream: Readable;
  #bytes = 0;
  #ms = 0;
  #startedAt = 0;
  #isWaiting = false;

  /** @param stream A flowing stream. */
  constructor(stream: Readable) {
    this.#stream = stream;
  }

  /** Call before processing a chunk or the rest of one. */
  begin(): void {
    this.#startedAt = performance.now();
  }

  /** True if the rest of the chunk should wait for the next turn. */
  get isOver(): boolean {
    return this.#ms + performance.now() - this.#startedAt >= msPerTurn;
  }

  /**
   * Call after processing a chunk or part of one. Pauses the stream until the next turn if this one
   * has used its time.
   * @param onNextTurn Called in the next turn, before anything more is read.
   */
  took(chunk: Buffer | string | undefined, onNextTurn?: () => void): void {
    this.#bytes += chunk?.length ?? 0;
    this.#ms += performance.now() - this.#startedAt;
    if (onNextTurn === undefined && this.#bytes < bytesPerTurn && this.#ms < msPerTurn) return;
    this.#bytes = 0;
    this.#ms = 0;
    this.#isWaiting = true;
    this.#stream.pause();
    setImmediate(() => {
      this.#isWaiting = false;
      onNextTurn?.();
      if (!this.#isWaiting) this.#stream.resume();
    });
  }
}
