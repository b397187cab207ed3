import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/**
 * Opening a pipe would otherwise wait for a writer and block one of the process's few file threads.
 */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Some file systems report size 0 for files with content. */
const leastBufferBytes = 4096;

export type FileRefusal = 'isFolder' | 'notAFile' | 'tooLarge';

/** The kind or size of the file is not accepted. Nothing was read. */
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
 * Opens a regular file for reading; follows links. Use it for every file that Toolgate did not
 * write itself, because a repository can contain a pipe, a device, a folder or a huge file
 * anywhere. Never waits for a writer. The caller closes the handle.
 * @throws {FileRefusedError} for other kinds of files; otherwise the file system's error
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
 * Reads a regular file of at most `maxBytes`, even if its reported size is wrong.
 * @throws {FileRefusedError} for another kind or a larger file; otherwise the file system's error
 */
export async function readRegularFile(file: string, maxBytes: number): Promise<Buffer> {
  const { handle, size } = await openRegularFile(file);
  try {
    return await readWhole(handle, file, size, maxBytes);
  } finally {
    await handle.close();
  }
}

/** Does the same for a file that {@link openRegularFile} opened. The handle stays open. */
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

/** The synchronous version, for the few callers that cannot wait. */
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

/** @throws {FileRefusedError} for anything but a regular file */
export function refuseOtherKinds(file: string, facts: Pick<Stats, 'isDirectory' | 'isFile'>): void {
  if (facts.isDirectory()) throw new FileRefusedError(file, 'isFolder');
  if (!facts.isFile()) throw new FileRefusedError(file, 'notAFile');
}

/** One byte larger than the reported size, so that the end is detected without growing. */
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

/**
 * Decodes a file in UTF-8, or in the UTF-16 that PowerShell and Windows editors write, and removes
 * the byte order mark. UTF-16 without one is recognized by its first character, because no text
 * begins with a zero byte.
 * @throws {TypeError} with `fatal`, if the bytes are not text in that encoding
 */
export function fileText(bytes: Uint8Array, { fatal = false } = {}): string {
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  const encoding = isLittle ? 'utf-16le' : isBig && bytes.length > 1 ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal }).decode(bytes);
}
