/** How far before a string its key is looked for. */
const maxKeyBytes = 64;

/** A string whose end has not come. */
export interface OpenString {
  /** Index of the part with its first byte after the opening quote, and where that is. */
  readonly part: number;
  readonly offset: number;
}

/** The string at the end of `parts`, of whose inside so many bytes came. */
export function openStringAt(byteLength: number, parts: readonly Buffer[]): OpenString | undefined {
  let left = byteLength;
  for (let part = parts.length - 1; part >= 0; part -= 1) {
    const { length } = parts[part] ?? [];
    // The quote is in the same part, or what stands before it would be looked for in the wrong one.
    if (left < length) return { part, offset: length - left };
    left -= length;
  }
  return undefined;
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
