import type { FileHandle } from 'node:fs/promises';
import { newline, type PlacedPin } from './pinLines';
import { Turns } from './pinTurns';

const blockBytes = 256 * 1024;
const maxHeaderBytes = 16 * 1024;
/** No line of ours is nearly as long. */
const maxLineBytes = 4 * 1024 * 1024;

/** The first line and where the second begins; `''` where there is no such line of at most 16 KiB. */
export async function readPinHeader(handle: FileHandle): Promise<{ line: string; end: number }> {
  const header = Buffer.alloc(maxHeaderBytes);
  const { bytesRead } = await handle.read(header, 0, maxHeaderBytes, 0);
  const end = header.subarray(0, bytesRead).indexOf(newline);
  return { line: end < 0 ? '' : header.toString('utf8', 0, end), end: end + 1 };
}

/**
 * Hands every whole line from `start` on to `take`, with the place where it begins, in slices.
 * Resolves with where the last of them ends, and whether something stands behind it.
 */
export async function readLines(
  handle: FileHandle,
  start: number,
  take: (line: Buffer, offset: number) => void,
): Promise<{ end: number; isTorn: boolean }> {
  const turns = new Turns();
  let end = start;
  let rest: Buffer = Buffer.alloc(0);
  for (;;) {
    const block = Buffer.allocUnsafe(blockBytes);
    const { bytesRead } = await handle.read(block, 0, blockBytes, end + rest.length);
    if (bytesRead === 0) return { end, isTorn: rest.length > 0 };
    const bytes = Buffer.concat([rest, block.subarray(0, bytesRead)]);
    let from = 0;
    for (let to = bytes.indexOf(newline); to >= 0; to = bytes.indexOf(newline, from)) {
      if (turns.isOver) await turns.next();
      take(bytes.subarray(from, to), end);
      end += to + 1 - from;
      from = to + 1;
    }
    rest = bytes.subarray(from);
    if (rest.length > maxLineBytes) throw new Error('a line without end');
  }
}

/**
 * The definition at the place of a pin. Should the file have been written anew in this very moment,
 * it is some other text, and then it is no definition, or one that is only shown.
 */
export async function readDefinition(
  handle: FileHandle,
  { offset, length }: PlacedPin,
): Promise<string> {
  if (offset === undefined || length === undefined) return '{}';
  const bytes = Buffer.alloc(length);
  await handle.read(bytes, 0, length, offset);
  return bytes.toString('utf8');
}
