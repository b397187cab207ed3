import { backslash, quote } from './jsonCodes';

/**
 * Maximum number of values in one byte of JSON, as `JsonFollower` counts them: a member with a new
 * name takes eight bytes and counts six (`"ab":{},`). Shorter names are few: {@link fewNames}.
 */
const valuesPerByte = 0.75;
const fewNames = 256;
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

/**
 * True if it holds no more values than may be parsed at once, and following could catch up without
 * a delay.
 */
export function hasFewValues(
  { bytes, parts }: { readonly bytes: number; readonly parts: number },
  maxValues: number,
): boolean {
  return (
    bytes * valuesPerByte + fewNames <= maxValues &&
    bytes <= maxUnfollowedBytes &&
    parts <= maxUnfollowedParts
  );
}

/**
 * True if the part may belong to a large string, or names structured content, together with the end
 * of `before`.
 */
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
