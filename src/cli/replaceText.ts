import { mkdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { readRegularFile } from '../core/bounds/regularFile';
import { saveFile } from '../host/storage/atomicWrite';
import { ExclusiveLocks } from '../host/storage/exclusiveLocks';
import { userFolder } from './cliSignIns';
import type { ProcessEnvironment } from './cliValues';

const writableByAnyone = 0o222;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** The message says why a file was left as it is. */
export class NotReplacedError extends Error {
  override readonly name = 'NotReplacedError';
}

/**
 * Runs the work on a file while no other run of this user works on it, so that none overwrites what
 * another one has added.
 */
export async function runExclusively<T>(
  { folder, file, env }: { folder: string; file: string; env: ProcessEnvironment },
  work: () => Promise<T>,
): Promise<T> {
  const locks = new ExclusiveLocks({
    folder: path.join(userFolder(env), 'locks'),
    settleMs: 0,
    // Without it, most runs at the same time are still refused, because the file has changed.
    onProblem: () => undefined,
  });
  return locks.run(path.resolve(await realpath(folder), file), work);
}

/**
 * Replaces a file atomically, so that either the old or the new text is there. Creates its folder.
 * With `before`, only if the file contains that text in UTF-8. @throws {NotReplacedError}
 */
export async function replaceText(named: string, text: string, before?: string): Promise<void> {
  const file = await realpath(named).catch(() => named);
  const facts = await stat(file).catch(() => undefined);
  if (facts === undefined && before !== undefined) throw new NotReplacedError('the file has gone');
  // The owner of the folder could replace the file anyway.
  if (facts !== undefined && (facts.mode & writableByAnyone) === 0) {
    throw new NotReplacedError('the file is read-only');
  }
  const mark = before === undefined ? Buffer.alloc(0) : await markBefore(file, before);
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await saveFile([Buffer.concat([mark, Buffer.from(text)])], file);
  } catch (error) {
    // The system names the call and a temporary file, too.
    const [reason = ''] = String(error instanceof Error ? error.message : error).split(', ', 1);
    throw new NotReplacedError(reason);
  }
}

/**
 * Returns the byte order mark of a file with this text; empty if it has none. @throws if the file
 * has other text
 */
async function markBefore(file: string, text: string): Promise<Buffer> {
  const expected = Buffer.from(text);
  const maxBytes = byteOrderMark.length + expected.length;
  const bytes = await readRegularFile(file, maxBytes).catch(() => undefined);
  if (bytes?.equals(expected) === true) return Buffer.alloc(0);
  if (bytes?.equals(Buffer.concat([byteOrderMark, expected])) === true) return byteOrderMark;
  throw new NotReplacedError('the file has changed, or is not in UTF-8');
}
