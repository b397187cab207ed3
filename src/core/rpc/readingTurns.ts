import type { Readable } from 'node:stream';

/** Of a fast pipe or socket, Node reads up to 2 MiB in one turn of the event loop. */
const bytesPerTurn = 512 * 1024;
/** How long what was read is worked on in one turn, whatever it is: a tenth of what a person notices. */
const msPerTurn = 5;

/** Gives everybody else a turn while a stream brings more than can be taken at once. */
export class ReadingTurns {
  readonly #stream: Readable;
  #bytes = 0;
  #ms = 0;
  #startedAt = 0;
  #isWaiting = false;

  /** @param stream one that flows */
  constructor(stream: Readable) {
    this.#stream = stream;
  }

  /** Call before a chunk, or what is left of one, is taken. */
  begin(): void {
    this.#startedAt = performance.now();
  }

  /** Whether what is left of the chunk should wait for the next turn. */
  get isOver(): boolean {
    return this.#ms + performance.now() - this.#startedAt >= msPerTurn;
  }

  /**
   * Call for each chunk that was taken, or as much of it as was. The stream stands still until the
   * next turn if this one was long enough.
   * @param onNextTurn what is done then, before anything more is read
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
