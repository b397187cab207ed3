import { WorkTurns } from '../bounds/workTurns';
import { GrowingBytes } from '../json/growingBytes';
import { jsonPieces } from '../json/jsonPieces';
import { RawJson } from '../json/rawJson';
import { maxParsedChars } from './textKind';

/** More than the largest configurable message. */
const maxBytes = 512 * 1024 * 1024;
/** UTF-8 takes at most this many bytes per UTF-16 code unit. */
const maxBytesPerUnit = 3;

/**
 * Converts a value of more than 1 Mi characters to JSON in UTF-8, with its numbers as they were
 * written. The JSON is compact, unless the value is kept as its original text. Returns `undefined`
 * for smaller values, and if there is not enough memory. Yields to other work meanwhile, whatever
 * the size and depth.
 */
export async function largeJsonOf(value: unknown): Promise<Uint8Array | undefined> {
  if (value instanceof RawJson && value.segments.length === 1) {
    const [only] = value.segments;
    if (only instanceof Uint8Array) return only;
  }
  const beginning: string[] = [];
  let length = 0;
  let bytes: GrowingBytes | undefined;
  const turns = new WorkTurns();
  for (const piece of jsonPieces(value)) {
    length += piece.length;
    if (length <= maxParsedChars) beginning.push(piece);
    else {
      bytes ??= growingBytes(beginning);
      if (bytes === undefined || !write(bytes, piece)) return undefined;
    }
    if (turns.isOver) await turns.giveWay();
  }
  return bytes?.finish();
}

function growingBytes(beginning: readonly string[]): GrowingBytes | undefined {
  try {
    const bytes = new GrowingBytes(maxBytes);
    return beginning.every((piece) => write(bytes, piece)) ? bytes : undefined;
  } catch {
    // There is no contiguous memory of that size.
    return undefined;
  }
}

function write(bytes: GrowingBytes, text: string): boolean {
  const room = bytes.withRoom(text.length * maxBytesPerUnit);
  if (room !== undefined) bytes.length += room.write(text, bytes.length, 'utf8');
  return room !== undefined;
}
