const quote = 0x22;
const backslash = 0x5c;

/** How far before a string its key is looked for. */
const maxKeyBytes = 64;

/** A string whose end has not come. */
export interface OpenString {
  /** Index of the part with its opening quote, and the offset after that quote. */
  readonly part: number;
  readonly offset: number;
  /** Of its inside, so far. */
  readonly byteLength: number;
}

/** Follows JSON text that comes in parts, to know whether its end is inside a string. */
export class StringFollower {
  /** How many parts were followed. */
  #followed = 0;
  #byteLength = 0;
  #isEscaped = false;
  #start: { part: number; offset: number; before: number } | undefined;

  /** The string at the end of `parts`; looks at those only that came since the last time. */
  follow(parts: readonly Buffer[]): OpenString | undefined {
    for (const part of parts.slice(this.#followed)) {
      this.#followOne(part);
      this.#followed += 1;
      this.#byteLength += part.length;
    }
    if (this.#start === undefined) return undefined;
    const { part, offset, before } = this.#start;
    return { part, offset, byteLength: this.#byteLength - before };
  }

  /** Goes on after this many parts, outside of any string. */
  skipTo(followed: number): void {
    this.#followed = followed;
    this.#isEscaped = false;
    this.#start = undefined;
  }

  #followOne(part: Buffer): void {
    let at = this.#isEscaped ? 1 : 0;
    for (; at < part.length; at += 1) {
      const byte = part[at];
      if (this.#start === undefined) {
        if (byte !== quote) continue;
        const offset = at + 1;
        this.#start = { part: this.#followed, offset, before: this.#byteLength + offset };
      } else if (byte === backslash) at += 1;
      else if (byte === quote) this.#start = undefined;
    }
    this.#isEscaped = at > part.length;
  }
}

/** Costs nothing for a part of ordinary JSON; a wrong yes costs a closer look. */
export function looksInsideString(part: Buffer): boolean {
  const first = part.indexOf(quote);
  return first === -1 || part[first - 1] === backslash;
}

/** The bytes up to and with the opening quote of `open`, as far as its key can reach. */
export function textBefore(open: OpenString, parts: readonly Buffer[]): string {
  let text = '';
  let end = open.offset;
  for (let index = open.part; index >= 0 && text.length < maxKeyBytes; index -= 1) {
    const part = parts[index];
    if (part === undefined) break;
    if (index < open.part) end = part.length;
    text = part.toString('latin1', Math.max(end - maxKeyBytes, 0), end) + text;
  }
  return text;
}
