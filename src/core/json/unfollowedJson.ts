import { backslash, quote } from './jsonCodes';

/**
 * Values that are longer or arrive in more parts are followed from the start: catching up later
 * would cause a noticeable delay.
 */
const maxUnfollowedParts = 1_024;
const maxUnfollowedBytes = 4 * 1024 * 1024;

/** The name of structured content in an answer. */
const contentName = Buffer.from('structuredContent');
/** Possible beginnings of an escaped letter in a name: `\\u0053`. */
const letterEscapes = ['4', '5', '6', '7'].map((digit) => Buffer.from(`\\u00${digit}`));

/** True if following a value of that size could catch up without a delay. */
export function isSoonFollowed(bytes: number, parts: number): boolean {
  return bytes <= maxUnfollowedBytes && parts <= maxUnfollowedParts;
}

/**
 * True if the part may belong to a large string, or names structured content, together with the end
 * of `before`.
 */
export function mayBeLarge(part: Buffer, before: Buffer | undefined): boolean {
  if (!hasQuote(part) || mayName(part)) return true;
  if (before === undefined) return false;
  const seam = [before.subarray(-contentName.length), part.subarray(0, contentName.length)];
  return mayName(Buffer.concat(seam));
}

/** True if a string certainly begins or ends in it. */
function hasQuote(part: Buffer): boolean {
  let at = part.indexOf(quote);
  while (at > 0 && part[at - 1] === backslash) at = part.indexOf(quote, at + 1);
  return at !== -1;
}

function mayName(bytes: Buffer): boolean {
  if (bytes.includes(contentName)) return true;
  if (!bytes.includes(backslash)) return false;
  return letterEscapes.some((escape) => bytes.includes(escape));
}
