import { WorkTurns } from '../bounds/workTurns';
import { GrowingBytes } from '../json/growingBytes';
import { jsonPieces } from '../json/jsonPieces';
import { RawJson } from '../json/rawJson';
import { maxParsedChars } from './textKind';

/** More than a message may have, if the setting is at its highest. */
const maxBytes = 512 * 1024 * 1024;
/** So many bytes at most does UTF-8 take for one unit of a string. */
const maxBytesPerUnit = 3;

/**
 * A value as JSON in UTF-8, its numbers as they were written, if that is more than
 * 1 Mi characters. Compact, unless it is kept as the text that it came as. `undefined` for less, and where the system has no room for it in this form.
 * Others have their turn while it is made, however large or deep it is.
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
    // No range of addresses of that size.
    return undefined;
  }
}

function write(bytes: GrowingBytes, text: string): boolean {
  const room = bytes.withRoom(text.length * maxBytesPerUnit);
  if (room !== undefined) bytes.length += room.write(text, bytes.length, 'utf8');
  return room !== undefined;
}
