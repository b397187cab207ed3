import { backslash, isSpace, quote } from './jsonCodes';

/** True if two JSON texts differ in white space only. Takes linear time. */
export function haveSameTokens(one: Uint8Array, other: Uint8Array): boolean {
  let at = 0;
  let isInString = false;
  for (let index = 0; index < one.length; index += 1) {
    const byte = one[index] ?? 0;
    if (!isInString) {
      if (isSpace(byte)) continue;
      while (at < other.length && isSpace(other[at] ?? 0)) at += 1;
    }
    if (byte !== other[at]) return false;
    at += 1;
    if (byte === quote) isInString = !isInString;
    else if (isInString && byte === backslash) {
      index += 1;
      if (one[index] !== other[at]) return false;
      at += 1;
    }
  }
  while (at < other.length && isSpace(other[at] ?? 0)) at += 1;
  return at === other.length;
}
