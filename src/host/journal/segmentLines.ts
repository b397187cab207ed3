import type { FileHandle } from 'node:fs/promises';
import { openRegularFile } from '../../core/bounds/regularFile';
import { maxLineBytes } from './journalLine';

/** A line of a file, without its newline. */
export interface RawLine {
  /** Empty for a line of more than 1 MiB, which Toolgate never writes. */
  readonly bytes: Uint8Array;
  /** Offset of its first byte. */
  readonly offset: number;
  /** True if it has no newline: it is being written, or its writer died. */
  readonly isTorn: boolean;
}

/** Small enough that the lines of a chunk are processed within a few milliseconds. */
const chunkBytes = 64 * 1024;
/** Most first and last lines are shorter, and callers that need only these read many files. */
const endBytes = 4 * 1024;
const newline = 0x0a;
const nothing = Buffer.alloc(0);

/**
 * Yields the lines of a file from its beginning, as many at once as one read contains. The first
 * read is small. Holds one line and one chunk at most. @throws what the file system throws
 */
export async function* linesOf(file: string): AsyncGenerator<readonly RawLine[]> {
  const { handle } = await openRegularFile(file);
  try {
    const line = new OpenLine();
    let offset = 0;
    for (let position = 0; ;) {
      const chunk = await readAt(handle, position, position === 0 ? endBytes : chunkBytes);
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
 * Yields the lines from the end of the file, last line first, to read the newest entries without
 * the old ones. The first read is small. Does not see later writes.
 */
export async function* linesFromEnd(file: string): AsyncGenerator<readonly RawLine[]> {
  const { handle } = await openRegularFile(file);
  try {
    const { size } = await handle.stat();
    const line = new OpenLine();
    let isTorn = true;
    for (let position = size; position > 0;) {
      const length = Math.min(position === size ? endBytes : chunkBytes, position);
      position -= length;
      const chunk = await readAt(handle, position, length);
      // The file was cut meanwhile; the rest is read the next time.
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

/**
 * Returns the line at `offset`; `undefined` if there is no complete one. @throws what the file
 * system throws
 */
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

/** Reads up to `length` bytes; fewer only at the end of the file. */
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

/** A line that arrives in parts. One that is too long is counted, but not kept. */
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
