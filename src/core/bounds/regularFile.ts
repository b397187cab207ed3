import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** Opening a pipe would otherwise wait for a writer, and hold one of the few file threads of the process. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Some file systems report a size of 0 for files that have content. */
const leastBufferBytes = 4096;

export type FileRefusal = 'isFolder' | 'notAFile' | 'tooLarge';

/** The file is there, but its kind or size is not accepted. Nothing was read. */
export class FileRefusedError extends Error {
  readonly refusal: FileRefusal;

  constructor(file: string, refusal: FileRefusal) {
    super(`${messages[refusal]}: ${file}`);
    this.name = 'FileRefusedError';
    this.refusal = refusal;
  }
}

const messages: Readonly<Record<FileRefusal, string>> = {
  isFolder: 'a folder',
  notAFile: 'not a regular file',
  tooLarge: 'too large',
};

/**
 * Opens a regular file for reading, links followed. Everything that Toolgate did not write itself is
 * opened this way: a repository can put a pipe, a device, a folder or a huge file in every place.
 * Never waits for a writer. The caller closes the handle.
 * @throws {FileRefusedError} for anything else than a regular file; otherwise what the file system throws
 */
export async function openRegularFile(
  file: string,
): Promise<{ readonly handle: FileHandle; readonly size: number }> {
  const handle = await open(file, openFlags);
  try {
    const facts = await handle.stat();
    refuseOtherKinds(file, facts);
    return { handle, size: facts.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * The bytes of a regular file of at most `maxBytes`, also where its reported size is wrong.
 * @throws {FileRefusedError} for another kind or a larger file; otherwise what the file system throws
 */
export async function readRegularFile(file: string, maxBytes: number): Promise<Buffer> {
  const { handle, size } = await openRegularFile(file);
  try {
    return await readWhole(handle, file, size, maxBytes);
  } finally {
    await handle.close();
  }
}

/** The same for one that {@link openRegularFile} has opened; the handle stays open. */
export async function readWhole(
  handle: FileHandle,
  file: string,
  size: number,
  maxBytes: number,
): Promise<Buffer> {
  let buffer = firstBuffer(file, size, maxBytes);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
    buffer = withRoom(file, buffer, length, maxBytes);
  }
}

/** The same at once, for the few callers that cannot wait. */
export function readRegularFileSync(file: string, maxBytes: number): Buffer {
  const descriptor = openSync(file, openFlags);
  try {
    const facts = fstatSync(descriptor);
    refuseOtherKinds(file, facts);
    let buffer = firstBuffer(file, facts.size, maxBytes);
    let length = 0;
    for (;;) {
      const bytesRead = readSync(descriptor, buffer, length, buffer.length - length, length);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
      buffer = withRoom(file, buffer, length, maxBytes);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** @throws {FileRefusedError} for anything else than a regular file */
export function refuseOtherKinds(file: string, facts: Pick<Stats, 'isDirectory' | 'isFile'>): void {
  if (facts.isDirectory()) throw new FileRefusedError(file, 'isFolder');
  if (!facts.isFile()) throw new FileRefusedError(file, 'notAFile');
}

/** One byte more than the file is said to have, so that its end is seen without growing. */
function firstBuffer(file: string, size: number, maxBytes: number): Buffer {
  if (size > maxBytes) throw new FileRefusedError(file, 'tooLarge');
  return Buffer.allocUnsafe(Math.max(size + 1, leastBufferBytes));
}

function withRoom(file: string, buffer: Buffer, length: number, maxBytes: number): Buffer {
  if (length > maxBytes) throw new FileRefusedError(file, 'tooLarge');
  if (length < buffer.length) return buffer;
  const larger = Buffer.allocUnsafe(Math.min(2 * length, maxBytes + 1));
  buffer.copy(larger, 0, 0, length);
  return larger;
}
