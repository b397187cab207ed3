import type { FileHandle } from 'node:fs/promises';
import { openRegularFile } from '../../core/bounds/regularFile';
import { maxLineBytes } from './journalLine';

/** A line as it stands in a file, without its newline. */
export interface RawLine {
  /** Empty for a line of more than 1 MiB: nobody but a stranger wrote that. */
  readonly bytes: Uint8Array;
  /** Of its first byte. */
  readonly offset: number;
  /** Without a newline at its end: it is still being written, or whoever wrote it died. */
  readonly isTorn: boolean;
}

/** Small enough that a chunk of lines is worked through within a few milliseconds. */
const chunkBytes = 64 * 1024;
const newline = 0x0a;
const nothing = Buffer.alloc(0);

/**
 * The lines of a file from its beginning, as many at once as one read brings. Holds no more than
 * one line and one chunk. @throws what the file system throws
 */
export async function* linesOf(file: string): AsyncGenerator<readonly RawLine[]> {
  const { handle } = await openRegularFile(file);
  try {
    const line = new OpenLine();
    let offset = 0;
    for (let position = 0; ;) {
      const chunk = await readAt(handle, position, chunkBytes);
      if (chunk.length === 0) break;
      const lines: RawLine[] = [];
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        line.append(chunk.subarray(start, end));
        lines.push({ bytes: line.take(), offset, isTorn: false });
        start = end + 1;
        offset = position + start;
      }
      line.append(chunk.subarray(start));
      position += chunk.length;
      if (lines.length > 0) yield lines;
    }
    if (line.length > 0) yield [{ bytes: line.take(), offset, isTorn: true }];
  } finally {
    await handle.close();
  }
}

/**
 * The same from the end of the file, the last line first: the newest entries without the old ones.
 * What is written meanwhile is not seen.
 */
export async function* linesFromEnd(file: string): AsyncGenerator<readonly RawLine[]> {
  const { handle } = await openRegularFile(file);
  try {
    const { size } = await handle.stat();
    const line = new OpenLine();
    let isTorn = true;
    for (let position = size; position > 0;) {
      const length = Math.min(chunkBytes, position);
      position -= length;
      const chunk = await readAt(handle, position, length);
      // Cut off meanwhile: what is left is read the next time.
      if (chunk.length < length) return;
      const lines: RawLine[] = [];
      let end = length;
      for (let at = chunk.lastIndexOf(newline); at !== -1; at = lastNewline(chunk, end)) {
        line.prepend(chunk.subarray(at + 1, end));
        const offset = position + at + 1;
        if (line.length > 0) lines.push({ bytes: line.take(), offset, isTorn });
        isTorn = false;
        end = at;
      }
      line.prepend(chunk.subarray(0, end));
      if (lines.length > 0) yield lines;
    }
    if (line.length > 0) yield [{ bytes: line.take(), offset: 0, isTorn }];
  } finally {
    await handle.close();
  }
}

/** The line that begins at `offset`; `undefined` without a whole one. @throws what the file system throws */
export async function lineAt(file: string, offset: number): Promise<Uint8Array | undefined> {
  const { handle } = await openRegularFile(file);
  try {
    const bytes = await readAt(handle, offset, maxLineBytes + 1);
    const end = bytes.indexOf(newline);
    return end === -1 ? undefined : bytes.subarray(0, end);
  } finally {
    await handle.close();
  }
}

function lastNewline(chunk: Buffer, before: number): number {
  return before === 0 ? -1 : chunk.lastIndexOf(newline, before - 1);
}

/** Up to `length` bytes; fewer only at the end of the file. */
async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** A line that comes in pieces; one that is too long is counted, and not kept. */
class OpenLine {
  #pieces: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(piece: Uint8Array): void {
    if (this.#grow(piece)) this.#pieces.push(piece);
  }

  prepend(piece: Uint8Array): void {
    if (this.#grow(piece)) this.#pieces.unshift(piece);
  }

  take(): Uint8Array {
    const [first] = this.#pieces;
    const bytes =
      this.#length > maxLineBytes
        ? nothing
        : this.#pieces.length === 1 && first !== undefined
          ? first
          : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    return bytes;
  }

  #grow(piece: Uint8Array): boolean {
    if (piece.length === 0) return false;
    this.#length += piece.length;
    if (this.#length <= maxLineBytes) return true;
    this.#pieces = [];
    return false;
  }
}
