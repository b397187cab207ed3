import { statSync, type BigIntStats } from 'node:fs';
import { appendFile, mkdir, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { LocalDisk } from './localDisk';
import { isNotFound } from './setAside';

/** What a look at the count of changes came to; `undefined`: it could not be read. */
export type Look = string | undefined;

/**
 * One count for everything that windows change of what decides about calls: a file that is a byte
 * longer after every change. As long as it is what it was, what this window has read still holds.
 */
export class SharedChanges {
  readonly #file: string;
  /** Not begun yet. */
  #next: Promise<Look> | undefined;
  /** Begun last. */
  #last: Promise<Look> | undefined;
  #disk: Promise<LocalDisk> | undefined;

  /** `file` is made at the first change. */
  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Where the count stands, no earlier than now. Callers that ask in one turn, or while a look is
   * under way, share the next one, so that calls in flight go on together. Never rejects.
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

  /** Changes something, and tells of it, also where only a part of it was done. @throws what either throws */
  async during(change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } finally {
      await this.tell();
    }
  }

  /** To be called after every change, before it counts as made. @throws what the file system throws */
  async tell(): Promise<void> {
    try {
      await this.#grow();
    } catch (error) {
      // A disk that is full has no room for a byte; a date needs none.
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
      const { ino, size, mtimeNs } = await this.#facts();
      return `${ino} ${size} ${mtimeNs}`;
    } catch (error) {
      return isNotFound(error) ? 'none' : undefined;
    } finally {
      // The first may come before watchers are asked again; between it and the second they tell what
      // happened before the look.
      await setImmediate();
      await setImmediate();
    }
  }

  async #facts(): Promise<BigIntStats> {
    this.#disk ??= LocalDisk.of(path.dirname(this.#file));
    return (await this.#disk).ask(
      // Without `throwIfNoEntry`, for which a file in the place of its folder is the same as none.
      () => statSync(this.#file, { bigint: true }),
      () => stat(this.#file, { bigint: true }),
    );
  }
}

/** Resolves when everything that was to be done at once is done, before the next event is handled. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
