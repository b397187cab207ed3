import { backslash, quote } from './jsonCodes';

/**
 * Of one byte of JSON there are so many values at most, as `JsonFollower` counts them: a member with a
 * new name takes eight bytes and counts six (`"ab":{},`). Shorter names are few: {@link fewNames}.
 */
const valuesPerByte = 0.75;
const fewNames = 256;
/** What comes in more parts, or is longer, is followed: catching up with it would take a person's time. */
const maxUnfollowedParts = 1_024;
const maxUnfollowedBytes = 4 * 1024 * 1024;

/** The name that structured content has in an answer. */
const contentName = Buffer.from('structuredContent');
/** How a letter of a name may begin instead of standing there: `\\u0053`. */
const letterEscapes = ['4', '5', '6', '7'].map((digit) => Buffer.from(`\\u00${digit}`));

/** Whether it holds no more values than may be parsed at once, and could be caught up with in no time. */
export function isFew(
  { bytes, parts }: { readonly bytes: number; readonly parts: number },
  maxValues: number,
): boolean {
  return (
    bytes * valuesPerByte + fewNames <= maxValues &&
    bytes <= maxUnfollowedBytes &&
    parts <= maxUnfollowedParts
  );
}

/** Whether the part may be of a large string, or names structured content, with the end of `before`. */
export function mayBeLarge(part: Buffer, before: Buffer | undefined): boolean {
  if (!part.includes(quote) || mayName(part)) return true;
  if (before === undefined) return false;
  const seam = [before.subarray(-contentName.length), part.subarray(0, contentName.length)];
  return mayName(Buffer.concat(seam));
}

function mayName(bytes: Buffer): boolean {
  if (bytes.includes(contentName)) return true;
  if (!bytes.includes(backslash)) return false;
  return letterEscapes.some((escape) => bytes.includes(escape));
}
