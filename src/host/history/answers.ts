import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ToolResult } from '../../core/types';
import { recordFileName } from '../storage/recordFile';
import { isNotFound } from '../storage/setAside';
import { answerEnding, readAnswer, writeAnswer } from './answerFile';

/** More than any message may have; a file that is larger was not written here. */
const maxReadBytes = 768 * 1024 * 1024;
/** Longer than any write of an answer takes before its call is recorded. */
const orphanAfterMs = 60 * 60 * 1_000;

/** What calls brought, one file each, by the id of the call. */
export class Answers {
  readonly #folder: string;

  /** @param folder made at the first write */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The bytes that it takes; `undefined` when it has more than these. @throws what the system throws */
  write(callId: string, result: ToolResult, maxBytes: number): Promise<number | undefined> {
    return writeAnswer(this.#fileOf(callId), result, maxBytes);
  }

  /** @throws {Error} when there is none, or it cannot be read */
  read(callId: string): Promise<ToolResult> {
    return readAnswer(this.#fileOf(callId), maxReadBytes);
  }

  /** Resolves when it is gone, also when there was none. @throws what the file system throws */
  async remove(callId: string): Promise<void> {
    await rm(this.#fileOf(callId), { force: true });
  }

  /** Whether there is one. Never rejects. */
  async has(callId: string): Promise<boolean> {
    return (await stat(this.#fileOf(callId)).catch(() => undefined)) !== undefined;
  }

  /**
   * What removes all that there are by now, and not those that come later or are being written.
   * Both throw what the file system throws.
   */
  async removal(): Promise<() => Promise<void>> {
    const names = (await this.#names()).filter((name) => name.endsWith(answerEnding));
    return async () => {
      for (const name of names) await rm(path.join(this.#folder, name), { force: true });
    };
  }

  /**
   * Removes those of windows that ended before they wrote the call, once nobody can still be at it.
   * @throws what the file system throws
   */
  async removeOrphans(callIds: readonly string[]): Promise<void> {
    const known = new Set(callIds.map(nameOf));
    for (const name of (await this.#names()).filter((each) => !known.has(each))) {
      const file = path.join(this.#folder, name);
      const facts = await stat(file).catch(() => undefined);
      if (facts === undefined || Date.now() - facts.mtimeMs <= orphanAfterMs) continue;
      await rm(file, { force: true });
    }
  }

  async #names(): Promise<readonly string[]> {
    return readdir(this.#folder).catch((error: unknown) => {
      if (isNotFound(error)) return [];
      throw error;
    });
  }

  #fileOf(callId: string): string {
    return path.join(this.#folder, nameOf(callId));
  }
}

function nameOf(callId: string): string {
  return recordFileName(callId).replace(/\.json$/, answerEnding);
}
