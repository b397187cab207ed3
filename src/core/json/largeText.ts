import { StringBatches } from './stringBatches';

/**
 * The text of one JSON string whose inside arrives in parts, split anywhere; its pieces are joined
 * when the string is read.
 */
export class LargeText {
  #text: string;
  readonly #batches = new StringBatches((piece) => (this.#text += piece));

  /** @param beginning text before the first part */
  constructor(beginning = '') {
    this.#text = beginning;
  }

  /** @throws {SyntaxError} when the parts so far cannot be the inside of a JSON string */
  push(part: Buffer): void {
    this.#batches.push(part);
  }

  /** @throws {SyntaxError} */
  finish(): string {
    this.#batches.finish();
    return this.#text;
  }
}
