import { lstat, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Event } from 'vscode-jsonrpc/node';
import { readRecordFile, recordEnding, writeRecordFile } from '../storage/recordFile';
import type { SharedSecretStore } from './secretRecords';
import { ifNotFound } from '../../core/bounds/systemError';

/** Larger files are not read. */
const maxFileBytes = 2 * 1024 * 1024;
/** Further files are not listed. */
const maxFiles = 10_000;

/**
 * Secrets as unencrypted files in a folder that only this user can enter (mode 0700), each readable
 * by this user only (mode 0600). A folder or file that is a link, that belongs to another user or
 * that other users can open is neither read nor written.
 */
export class FileSecretStore implements SharedSecretStore {
  /** Other processes change files without an event. Exact reads happen under a lock. */
  readonly onDidChange = Event.None;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws {Error} for a place that is not private | of the file system */
  async get(key: string): Promise<string | undefined> {
    const file = this.#file(key);
    if (!(await this.#isThere()) || !(await isPrivate(file, 'file'))) return undefined;
    const read = await readRecordFile(file, maxFileBytes);
    return read.kind === 'bytes' ? Buffer.from(read.bytes).toString('utf8') : undefined;
  }

  /** @throws as {@link get} */
  async store(key: string, value: string): Promise<void> {
    await this.#isThere();
    await writeRecordFile(this.#file(key), value);
  }

  /** @throws as {@link get} */
  async delete(key: string): Promise<void> {
    if (await this.#isThere()) await rm(this.#file(key), { force: true });
  }

  /** @throws as {@link get} */
  async keys(): Promise<readonly string[]> {
    if (!(await this.#isThere())) return [];
    const names = (await readdir(this.#folder)).slice(0, maxFiles);
    return names.flatMap((name) => (name.endsWith(recordEnding) ? keyOf(name) : []));
  }

  #isThere(): Promise<boolean> {
    return isPrivate(this.#folder, 'folder');
  }

  #file(key: string): string {
    return path.join(this.#folder, `${encodeURIComponent(key)}${recordEnding}`);
  }
}

/** Secrets that are lost when the process ends. */
export class MemorySecretStore implements SharedSecretStore {
  readonly onDidChange = Event.None;
  readonly #values = new Map<string, string>();

  get(key: string): Promise<string | undefined> {
    return Promise.resolve(this.#values.get(key));
  }

  store(key: string, value: string): Promise<void> {
    this.#values.set(key, value);
    return Promise.resolve();
  }

  delete(key: string): Promise<void> {
    this.#values.delete(key);
    return Promise.resolve();
  }

  keys(): Promise<readonly string[]> {
    return Promise.resolve([...this.#values.keys()]);
  }
}

function keyOf(name: string): readonly string[] {
  try {
    return [decodeURIComponent(name.slice(0, -recordEnding.length))];
  } catch {
    // The file was not written here.
    return [];
  }
}

/**
 * Returns false if it does not exist. Windows has no modes; there the user's folder protects it.
 */
async function isPrivate(place: string, kind: 'file' | 'folder'): Promise<boolean> {
  const found = await lstat(place).catch(ifNotFound(undefined));
  if (found === undefined) return false;
  const isKind = kind === 'file' ? found.isFile() : found.isDirectory();
  if (!isKind) throw new Error(`${place} must be a ${kind}, not a link`);
  const user = process.getuid?.();
  if (user === undefined) return true;
  if (found.uid !== user) throw new Error(`${place} belongs to another user`);
  if ((found.mode & 0o077) === 0) return true;
  const mode = kind === 'file' ? '600' : '700';
  throw new Error(`other users can open ${place}; run chmod ${mode}`);
}
