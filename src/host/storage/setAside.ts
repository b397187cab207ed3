import { access, link, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isRecordFile, fileStamp, type FileStamp } from './recordFile';

/** Above this number, files stay where they are, because something breaks them again and again. */
const maxSetAside = 100;

/**
 * Renames a file that is no record, so that it is not read as one. Its content stays. Returns
 * `undefined` if it is gone or was replaced since it had this stamp. @throws what the file system
 * throws
 */
export async function setAside(file: string, stamp: FileStamp): Promise<string | undefined> {
  const aside = await freeName(file);
  try {
    await rename(file, aside);
  } catch (error) {
    // Another window was faster.
    if (isNotFound(error)) return undefined;
    throw error;
  }
  if ((await fileStamp(aside)) === stamp) return path.basename(aside);
  // Another window stored a valid record between check and rename: restore it, unless there is a
  // newer one.
  await link(aside, file).catch((error: unknown) => {
    if (!isExisting(error)) throw error;
  });
  await rm(aside);
  return undefined;
}

async function freeName(file: string): Promise<string> {
  for (let count = 1; count <= maxSetAside; count += 1) {
    const name = `${file}.corrupt-${count}`;
    try {
      await access(name);
    } catch (error) {
      if (isNotFound(error)) return name;
      throw error;
    }
  }
  throw new Error(`more than ${maxSetAside} files were set aside beside '${file}'`);
}

/** Returns true for the name of a file that was set aside. */
export function isSetAside(name: string): boolean {
  return /\.corrupt-\d+$/.test(name);
}

export function isNotFound(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

function isExisting(error: unknown): boolean {
  return codeOf(error) === 'EEXIST';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Returns true if it is a record file, or was one before it was set aside. */
export function wasRecordFile(name: string): boolean {
  return isRecordFile(name) || isSetAside(name);
}
