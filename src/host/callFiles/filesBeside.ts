import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { FileText, ExpectationContext } from '../../core/callFiles/expectations';
import { isWithin } from '../../core/bounds/pathWithin';
import { FileRefusedError, readRegularFile, fileText } from '../../core/bounds/regularFile';
import { ifNotFound, isNotFound } from '../../core/bounds/systemError';

/** Limit for a full answer that is compared. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Reads files named in a call file, relative to it: regular files of at most 16 MiB whose real path
 * is inside the folder `root`. Never rejects.
 */
export function filesBeside(callFile: string, root: string): ExpectationContext['readText'] {
  return async (named) => {
    try {
      const file = await realpath(path.resolve(path.dirname(callFile), named));
      return isWithin(await realpath(root), file) ? await read(file) : { code: 'fileOutside' };
    } catch (error) {
      return { code: isNotFound(error) ? 'fileMissing' : 'fileUnreadable' };
    }
  };
}

/**
 * Returns true if a file named in the call file may be written: its real path, or that of its
 * nearest existing parent folder, is inside `root`. A dangling link may not be written. Never
 * rejects.
 */
export async function mayWriteBeside(
  callFile: string,
  root: string,
  named: string,
): Promise<boolean> {
  try {
    const folder = await realpath(root);
    for (let at = path.resolve(path.dirname(callFile), named); ; at = path.dirname(at)) {
      if (await isThere(at)) return isWithin(folder, await realpath(at));
      if (at === path.dirname(at)) return false;
    }
  } catch {
    // The target of the path is unknown.
    return false;
  }
}

/** Checks the name itself without following a link. */
function isThere(file: string): Promise<boolean> {
  return lstat(file).then(() => true, ifNotFound(false));
}

async function read(file: string): Promise<FileText> {
  try {
    return { text: fileText(await readRegularFile(file, maxBytes)) };
  } catch (error) {
    if (!(error instanceof FileRefusedError)) throw error;
    return { code: error.refusal === 'tooLarge' ? 'fileTooLarge' : 'fileUnreadable' };
  }
}
