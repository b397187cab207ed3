import { statSync, type BigIntStats } from 'node:fs';
import { appendFile, mkdir, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { LocalDisk } from './localDisk';
import { isNotFound } from '../../core/bounds/systemError';

/** State of the change counter; `undefined` if it could not be read. */
export type Look = string | undefined;

/**
 * A counter of changes to everything that decides about calls, shared by all windows: a file that
 * grows by a byte with every change. While it is the same, what a window has read is still current.
 */
export class SharedChanges {
  readonly #file: string;
  /** A look that has not begun yet. */
  #next: Promise<Look> | undefined;
  /** The look that began last. */
  #last: Promise<Look> | undefined;
  #disk: Promise<LocalDisk> | undefined;

  /** @param file created at the first change */
  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Returns the state of the counter, at the time of the call or later. Callers in one turn, or
   * during a look, share the next look, so that concurrent calls continue together. Never rejects.
   */
  look(): Promise<Look> {
    this.#next ??= this.#afterLast();
    return this.#next;
  }

  async #afterLast(): Promise<Look> {
    await this.#last;
    await endOfTurn();
    this.#last = this.#next;
    this.#next = undefined;
    return this.#look();
  }

  /**
   * Makes a change and announces it, even if it was made only in part. @throws what either throws
   */
  async during(change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } finally {
      await this.notify();
    }
  }

  /** Call this after every change, before it counts as made. @throws what the file system throws */
  async notify(): Promise<void> {
    try {
      await this.#grow();
    } catch (error) {
      // A full disk has no room for another byte, but the file's time can still change.
      const now = new Date();
      await utimes(this.#file, now, now).catch(() => {
        throw error;
      });
    }
  }

  async #grow(): Promise<void> {
    try {
      await appendFile(this.#file, '.', { mode: 0o600 });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      await appendFile(this.#file, '.', { mode: 0o600 });
    }
  }

  async #look(): Promise<Look> {
    try {
      const facts = await this.#facts();
      return facts === undefined ? 'none' : `${facts.ino} ${facts.size} ${facts.mtimeNs}`;
    } catch (error) {
      return isNotFound(error) ? 'none' : undefined;
    }
  }

  async #facts(): Promise<BigIntStats | undefined> {
    this.#disk ??= LocalDisk.of(path.dirname(this.#file));
    return (await this.#disk).ask(
      () => factsOf(this.#file),
      () => stat(this.#file, { bigint: true }),
    );
  }
}

/**
 * Returns `undefined` if the folder of the file has no such file, without the time that an error
 * takes. @throws what `statSync` throws, also if the folder is none
 */
function factsOf(file: string): BigIntStats | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (found !== undefined) return found;
  const folder = statSync(path.dirname(file), { throwIfNoEntry: false });
  return folder?.isDirectory() === true ? undefined : statSync(file, { bigint: true });
}

/** Resolves when all immediate work is done, before the next event is handled. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Unannounced changes take effect after this time, such as files that were edited by hand. */
const maxAgeMs = 1_000;

/**
 * Decides whether data read from disk is still current: no window announced a change since it was
 * read, and it is at most a second old.
 */
export class Freshness {
  #read: { readonly look: Look; readonly at: number } | undefined;

  holds(look: Look): boolean {
    if (look === undefined || this.#read?.look !== look) return false;
    return performance.now() - this.#read.at <= maxAgeMs;
  }

  /** Reads; `look` was taken before. */
  async during<T>(look: Look, read: () => Promise<T>): Promise<T> {
    this.#read = undefined;
    const reading = { look, at: performance.now() };
    const result = await read();
    this.#read = reading;
    return result;
  }
}
