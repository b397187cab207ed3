import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../../core/errors';

/** Ending of the names of files that are being written. */
export const temporaryEnding = '.tmp';

interface AtomicWriteOptions {
  /** Path of the file until it is complete, in the same folder. Defaults to a name of its own. */
  readonly temporary?: string;
  /** Permissions of the new file. Defaults to those of a private file. */
  readonly mode?: number;
  /** Puts the complete file at its path. Defaults to replacing what is there. */
  readonly place?: (from: string, to: string) => Promise<void>;
}

/**
 * Replaces a file atomically: readers and crashes see either the old content or all of the new. The
 * folder must exist. Returns the facts of the written file.
 * @throws what `fill` and the file system throw; the old content stays then
 */
export async function writeAtomically(
  file: string,
  fill: (handle: FileHandle) => Promise<unknown>,
  { temporary = uniqueNameBeside(file), mode = 0o600, place = renameOver }: AtomicWriteOptions = {},
): Promise<BigIntStats> {
  try {
    const handle = await open(temporary, 'wx', mode);
    let facts: BigIntStats;
    try {
      await fill(handle);
      // Synced before the rename, because a power failure could otherwise leave an empty file.
      await handle.sync();
      // No other process knows the file yet, so these are the facts of what was written here.
      facts = await handle.stat({ bigint: true });
    } finally {
      await handle.close();
    }
    await place(temporary, file);
    return facts;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

export interface SaveProgress {
  /** Called after each slice. */
  readonly onWritten: (bytes: number) => void;
  readonly token: Pick<CancellationToken, 'isCancellationRequested'>;
}

export const withoutProgress: SaveProgress = {
  onWritten: () => undefined,
  token: { isCancellationRequested: false },
};

/**
 * Writes a file of the user, byte for byte. It appears at `destination` once it is complete. An
 * existing file is replaced then, with its permissions, and stays if the disk is full or the user
 * cancels.
 * @throws {McpError} cancelled
 * @throws what `slices` and the file system throw
 */
export async function saveFile(
  slices: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  destination: string,
  { onWritten, token } = withoutProgress,
): Promise<void> {
  // Writes to the target of a link, so that the link stays.
  const target = await realpath(destination).catch(() => destination);
  const { dir, base } = path.parse(target);
  const name = `.${base.slice(0, maxNameChars)}.${randomBytes(4).toString('hex')}.part`;
  const fill = async (handle: FileHandle): Promise<void> => {
    for await (const slice of slices) {
      if (token.isCancellationRequested) throw new McpError('cancelled');
      await handle.writeFile(slice);
      onWritten(slice.length);
    }
    const before = await stat(target).catch(() => undefined);
    if (before !== undefined) await handle.chmod(before.mode);
  };
  await writeAtomically(target, fill, { temporary: path.join(dir, name), mode: 0o666 });
}

/** Keeps the temporary name below the length limit of every file system. */
const maxNameChars = 60;

function uniqueNameBeside(file: string): string {
  return `${file}.${process.pid}-${randomBytes(6).toString('hex')}${temporaryEnding}`;
}

const renameAttempts = 10;
const renamePauseMs = 10;

/** Windows refuses while another process has the file open, which takes only a moment. */
export async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      if (process.platform !== 'win32' || attempt === renameAttempts) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, attempt * renamePauseMs));
  }
}
