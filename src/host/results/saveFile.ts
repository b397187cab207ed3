import { randomUUID } from 'node:crypto';
import { realpath, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../../core/errors';
import { writeAtomically } from '../storage/atomicWrite';
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
  const fill = async (handle: FileHandle): Promise<void> => {
    for await (const slice of file.slices?.() ?? wholeOf(file)) {
      if (token.isCancellationRequested) throw new McpError('cancelled');
      await handle.writeFile(slice);
      onWritten(slice.length);
    }
    const before = await stat(target).catch(() => undefined);
    if (before !== undefined) await handle.chmod(before.mode);
  };
  await writeAtomically(target, fill, { temporary: join(dirname(target), name), mode: 0o666 });
}

/** Like {@link saveFile}, for bytes in memory. @throws {Error} of the file system */
export function saveBytes(bytes: Buffer, path: string): Promise<void> {
  const file = { name: basename(path), size: bytes.length, read: () => bytes };
  return saveFile(file, path, { onWritten: () => undefined, token: CancellationToken.None });
}

/** Keeps the temporary name below the length limit of every file system. */
const maxNameChars = 60;

async function* wholeOf(file: StoredFile): AsyncGenerator<Uint8Array> {
  yield await file.read();
}
