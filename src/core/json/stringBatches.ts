import { isAscii } from 'node:buffer';

const quote = 0x22;
const backslash = 0x5c;

/**
 * Large enough that its text is not copied while young garbage is collected. From 1,031,913 bytes
 * Node keeps the text outside of the heap, where garbage stays until it reaches about 32 MiB.
 */
const batchBytes = 1_000 * 1024;

/** `\u1234` is the longest escape. */
const longestEscape = 6;

/** @param asWritten the bytes between the quotes, valid until the call returns */
export type TakePiece = (piece: string, asWritten: Buffer) => void;

/**
 * Decodes one JSON string whose inside arrives in parts, split anywhere, in pieces of about 1 MB.
 * Each batch is passed to `JSON.parse`, so that escapes, control characters and broken UTF-8 are
 * handled the same way. A piece may end between the halves of a surrogate pair.
 */
export class StringBatches {
  readonly #take: TakePiece;
  readonly #batch = Buffer.allocUnsafeSlow(batchBytes);
  /** End of the data in the batch; its first byte is the opening quote. */
  #end = 1;

  constructor(take: TakePiece) {
    this.#take = take;
    this.#batch[0] = quote;
  }

  /** @throws {SyntaxError} when the parts so far cannot be the inside of a JSON string */
  push(part: Buffer): void {
    let from = 0;
    while (from < part.length) {
      // One byte is reserved for the closing quote.
      const to = Math.min(part.length, from + batchBytes - 1 - this.#end);
      this.#end += part.copy(this.#batch, this.#end, from, to);
      from = to;
      if (this.#end === batchBytes - 1) this.#decodeUpTo(safeCut(this.#batch, this.#end));
    }
  }

  /** Passes on the rest. @throws {SyntaxError} */
  finish(): void {
    this.#decodeUpTo(this.#end);
  }

  #decodeUpTo(cut: number): void {
    const rest = Buffer.from(this.#batch.subarray(cut, this.#end));
    this.#batch[cut] = quote;
    const literal = this.#batch.subarray(0, cut + 1);
    const piece: unknown = JSON.parse(literal.toString(isAscii(literal) ? 'latin1' : 'utf8'));
    this.#take(String(piece), this.#batch.subarray(1, cut));
    this.#end = 1 + rest.copy(this.#batch, 1);
  }
}

/**
 * Returns the last position at or before `end` that is neither inside a character nor inside an
 * escape.
 */
function safeCut(bytes: Buffer, end: number): number {
  return cutOutsideEscape(bytes, cutOutsideCharacter(bytes, end));
}

function cutOutsideCharacter(bytes: Buffer, end: number): number {
  // If none of the last three bytes begins a character, the last one is complete or was broken.
  for (let at = end - 1; at >= end - 3; at -= 1) {
    if ((bytes[at] ?? 0) >= 0xc0) return at;
  }
  return end;
}

function cutOutsideEscape(bytes: Buffer, end: number): number {
  const last = bytes.lastIndexOf(backslash, end - 1);
  if (last < 1 || last <= end - longestEscape) return end;
  let first = last;
  while (bytes[first - 1] === backslash) first -= 1;
  // An even number of backslashes are escaped backslashes.
  return (last - first) % 2 === 0 ? last : end;
}
