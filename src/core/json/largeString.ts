import { LargeBase64 } from './largeBase64';
import { LargeText } from './largeText';
import { LargeUtf8 } from './largeUtf8';

const quote = 0x22;
const backslash = 0x5c;

/** Form in which a large string may be held: as bytes, or only as text. */
export type LargeForm = 'base64' | 'utf8' | 'text';

/** The inside of one JSON string that arrives in parts, from after its opening quote. */
export class LargeString {
  readonly form: LargeForm;
  #content: LargeText | LargeUtf8 | LargeBase64;
  /** True if the next byte belongs to an escape. */
  #isEscaped = false;

  /** A string that does not have that form, or decodes to more than `maxBytes`, is held as text. */
  constructor(form: LargeForm, maxBytes: number) {
    this.form = form;
    this.#content = makeContent(form, maxBytes);
  }

  /**
   * Takes the bytes of `part` that belong to the string. Returns the index of the closing quote, or
   * -1.
   * @throws {SyntaxError}
   */
  push(part: Buffer): number {
    const end = this.#indexOfEnd(part);
    const own = end === -1 ? part : part.subarray(0, end);
    if (!(this.#content instanceof LargeBase64)) this.#content.push(own);
    else if (!this.#content.push(own)) {
      this.#content = this.#content.toLargeText();
      this.#content.push(own);
    }
    return end;
  }

  /**
   * Returns bytes only if they encode to the very same text, in either form. @throws {SyntaxError}
   */
  finish(): string | Uint8Array {
    const content = this.#content;
    if (!(content instanceof LargeBase64)) return content.finish();
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

function makeContent(form: LargeForm, maxBytes: number): LargeText | LargeUtf8 | LargeBase64 {
  if (form === 'text') return new LargeText();
  try {
    return form === 'utf8' ? new LargeUtf8(maxBytes) : new LargeBase64((maxBytes / 4) * 3);
  } catch {
    // No address range of that size is available; text needs none.
    return new LargeText();
  }
}
