import { StringBatches } from './stringBatches';

/**
 * The text of one JSON string whose inside comes in parts, cut anywhere; its pieces are joined when
 * somebody reads it.
 */
export class LargeText {
  #text: string;
  readonly #batches = new StringBatches((piece) => (this.#text += piece));

  /** @param beginning text that stands before the first part */
  constructor(beginning = '') {
    this.#text = beginning;
  }

  /** @throws {SyntaxError} when what came so far cannot be the inside of a JSON string */
  push(part: Buffer): void {
    this.#batches.push(part);
  }

  /** @throws {SyntaxError} */
  finish(): string {
    this.#batches.finish();
    return this.#text;
  }
}
