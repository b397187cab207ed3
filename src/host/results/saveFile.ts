import { randomUUID } from 'node:crypto';
import { chmod, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../../core/errors';
import type { StoredFile } from './resultStore';

export interface SaveProgress {
  /** Called after each slice. */
  readonly onWritten: (bytes: number) => void;
  readonly token: CancellationToken;
}

/**
 * Writes a file of a result to disk, byte for byte. It appears at `path` once it is complete. An
 * existing file is replaced then, and stays if the disk is full or the user cancels.
 * @throws {McpError} cancelled
 * @throws {Error} of the file system
 */
export async function saveFile(
  file: StoredFile,
  path: string,
  { onWritten, token }: SaveProgress,
): Promise<void> {
  // Writes to the target of a link, so that the link stays.
  const target = await realpath(path).catch(() => path);
  const name = `.${basename(target).slice(0, maxNameChars)}.${randomUUID().slice(0, 8)}.part`;
  const unfinished = join(dirname(target), name);
  try {
    await write(file, unfinished, { onWritten, token });
    const before = await stat(target).catch(() => undefined);
    if (before !== undefined) await chmod(unfinished, before.mode);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Like {@link saveFile}, for bytes in memory. @throws {Error} of the file system */
export function saveBytes(bytes: Buffer, path: string): Promise<void> {
  const file = { name: basename(path), size: bytes.length, read: () => bytes };
  return saveFile(file, path, { onWritten: () => undefined, token: CancellationToken.None });
}

/** Keeps the temporary name below the length limit of every file system. */
const maxNameChars = 60;

async function write(file: StoredFile, path: string, progress: SaveProgress): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    for await (const slice of file.slices?.() ?? wholeOf(file)) {
      if (progress.token.isCancellationRequested) throw new McpError('cancelled');
      await handle.writeFile(slice);
      progress.onWritten(slice.length);
    }
  } finally {
    await handle.close();
  }
}

async function* wholeOf(file: StoredFile): AsyncGenerator<Uint8Array> {
  yield await file.read();
}
