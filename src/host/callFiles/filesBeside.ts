import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { FileText, JudgingTools } from '../../core/callFiles/expectations';

/** A whole answer that is compared has no more characters. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Reads the files that a call file names, by their paths from it: regular files of at most 16 MiB
 * that are, with every link followed, inside of the folder `root`. Never rejects.
 */
export function filesBeside(callFile: string, root: string): JudgingTools['readText'] {
  return async (named) => {
    try {
      const file = await realpath(path.resolve(path.dirname(callFile), named));
      const inside = path.relative(await realpath(root), file);
      if (path.isAbsolute(inside) || inside.split(path.sep)[0] === '..') {
        return { code: 'fileOutside' };
      }
      return await read(file);
    } catch (error) {
      return { code: isMissing(error) ? 'fileMissing' : 'fileUnreadable' };
    }
  };
}

async function read(file: string): Promise<FileText> {
  const handle = await open(file, 'r');
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) return { code: 'fileUnreadable' };
    if (facts.size > maxBytes) return { code: 'fileTooLarge' };
    const buffer = Buffer.alloc(facts.size);
    const { bytesRead } = await handle.read(buffer, 0, facts.size, 0);
    return { text: buffer.toString('utf8', 0, bytesRead) };
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
