import { LargeBase64 } from './largeBase64';
import { LargeText } from './largeText';

const quote = 0x22;
const backslash = 0x5c;

/** The inside of one JSON string that comes in parts, from after its opening quote. */
export class LargeString {
  #content: LargeText | LargeBase64;
  /** The first byte to come belongs to an escape. */
  #isEscaped = false;

  /** With `maxBase64Bytes`, base64 that decodes to no more than that becomes bytes. */
  constructor(maxBase64Bytes: number | undefined) {
    this.#content = makeContent(maxBase64Bytes);
  }

  /**
   * Takes what of `part` belongs to the string; the index of the closing quote, or -1.
   * @throws {SyntaxError}
   */
  push(part: Buffer): number {
    const end = this.#indexOfEnd(part);
    const own = end === -1 ? part : part.subarray(0, end);
    if (this.#content instanceof LargeText) this.#content.push(own);
    else if (!this.#content.push(own)) {
      this.#content = this.#content.toLargeText();
      this.#content.push(own);
    }
    return end;
  }

  /** Bytes only for base64, and only if they encode to the very text. @throws {SyntaxError} */
  finish(): string | Uint8Array {
    const content = this.#content;
    if (content instanceof LargeText) return content.finish();
    return content.finish() ?? content.toLargeText().finish();
  }

  #indexOfEnd(part: Buffer): number {
    let at = this.#isEscaped ? 1 : 0;
    const end = part.indexOf(quote, at);
    const escape = part.indexOf(backslash, at);
    if (escape === -1 || (end !== -1 && end < escape)) {
      this.#isEscaped &&= part.length === 0;
      return end;
    }
    for (at = escape; at < part.length; at += 1) {
      const byte = part[at];
      if (byte === quote) return at;
      if (byte === backslash) at += 1;
    }
    this.#isEscaped = at > part.length;
    return -1;
  }
}

function makeContent(maxBase64Bytes: number | undefined): LargeText | LargeBase64 {
  if (maxBase64Bytes === undefined) return new LargeText();
  try {
    return new LargeBase64(maxBase64Bytes);
  } catch {
    // No room for a range of addresses of that size; text needs none.
    return new LargeText();
  }
}
