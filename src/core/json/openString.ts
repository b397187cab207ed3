/** Maximum distance from a string back to its key. */
const maxKeyBytes = 64;

/** A string whose end has not arrived. */
export interface OpenString {
  /**
   * Index of the part that holds the first byte after the opening quote, and the offset of that
   * byte.
   */
  readonly part: number;
  readonly offset: number;
}

/** Finds the string at the end of `parts` of which `byteLength` bytes have arrived. */
export function openStringAt(byteLength: number, parts: readonly Buffer[]): OpenString | undefined {
  let left = byteLength;
  for (let part = parts.length - 1; part >= 0; part -= 1) {
    const { length } = parts[part] ?? [];
    // Strictly less, so that the opening quote is in the same part.
    if (left < length) return { part, offset: length - left };
    left -= length;
  }
  return undefined;
}

/**
 * Returns the bytes up to and including the opening quote of `open`, as far back as its key can
 * reach.
 */
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
