import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { readRegularFile } from '../core/bounds/regularFile';
import { toMcpError } from '../core/errors';
import { maxLockBytes, parseLockFile, type LockFile } from '../host/consent/pins/lockFile';
import { isNotFound } from '../host/storage/setAside';
import { lockFileName } from '../ids';
import { UsageError } from './exitCodes';

/** The lock file of a folder; an empty text where there is none. */
export interface LockFileText {
  readonly path: string;
  readonly text: string;
  readonly lock: LockFile;
}

/** @throws {UsageError} where it cannot be read, or is none */
export async function readLockFile(folder: string): Promise<LockFileText> {
  const file = path.join(folder, lockFileName);
  const text = await textOf(file);
  const lock = parseLockFile(text);
  if (text !== '' && lock.isUnreadable) throw unreadable('it is no lock file');
  return { path: file, text, lock };
}

async function textOf(file: string): Promise<string> {
  try {
    return new TextDecoder().decode(await readRegularFile(file, maxLockBytes));
  } catch (error) {
    if (isNotFound(error)) return '';
    throw unreadable(toMcpError(error).message);
  }
}

/** A link would have another file written. @throws {UsageError} */
export async function refuseLink(file: string): Promise<void> {
  const facts = await lstat(file).catch(() => undefined);
  if (facts?.isSymbolicLink() === true) {
    throw new UsageError(`${lockFileName} is a link, so it is not written.`);
  }
}

function unreadable(reason: string): UsageError {
  return new UsageError(`${lockFileName} cannot be read: ${reason}. Correct or remove it.`);
}
