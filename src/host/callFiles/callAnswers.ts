import { rm } from 'node:fs/promises';
import type { Disposable } from 'vscode-jsonrpc/node';
import { withValue } from '../../core/content/structuredAgreement';
import { bytesInMemory } from '../../core/json/valueWeight';
import type { ToolResult } from '../../core/types';
import { readAnswer, writeAnswer } from '../history/answers';
import type { WindowFolder } from '../results/resultSpool';

export interface CallAnswersOptions {
  readonly folder: Pick<WindowFolder, 'newPath'>;
  /**
   * Returns the limit for answers in memory, read at each answer. On disk the limit is 16 times as
   * high.
   */
  readonly maxBytes: () => number;
  /** Called when an answer could not be written and is lost. */
  readonly onError: (error: unknown) => void;
}

/** The place for an answer when memory is full. `memory` means that it is dropped. */
export type AnswerPlace = 'memory' | 'disk';

/** The answers of one run, by the names of its calls. */
export interface RunAnswers extends Disposable {
  has(name: string): boolean;
  get(name: string): Promise<ToolResult | undefined>;
  /** Resolves when the answer is stored. Never rejects. */
  set(name: string, result: ToolResult): Promise<void>;
}

interface Kept {
  /** Undefined while the answer is on disk only. */
  result?: ToolResult;
  readonly bytes: number;
  readonly keptIn: AnswerPlace;
  file?: { readonly path: string; readonly bytes: number };
}

const diskFactor = 16;

/**
 * Answers of calls in call files, for later calls that use values from them. The newest answer
 * stays in memory, whatever its size. Others stay while there is room; after that, answers that are
 * needed are on disk.
 */
export class CallAnswers implements Disposable {
  readonly #options: CallAnswersOptions;
  /** Ordered by last use. */
  readonly #kept = new Map<string, Kept>();
  #inMemory = 0;
  #onDisk = 0;
  #newest = '';
  #runs = 0;
  #makingRoom: Promise<void> = Promise.resolve();

  constructor(options: CallAnswersOptions) {
    this.#options = options;
  }

  /** Estimated sizes in bytes. */
  get held(): { readonly inMemory: number; readonly onDisk: number } {
    return { inMemory: this.#inMemory, onDisk: this.#onDisk };
  }

  has(key: string): boolean {
    return this.#kept.has(key);
  }

  /** Resolves when there is room for the answer. Never rejects. */
  async set(key: string, result: ToolResult, keptIn: AnswerPlace): Promise<void> {
    this.delete(key);
    const bytes = bytesInMemory(result);
    this.#kept.set(key, { result, bytes, keptIn });
    this.#inMemory += bytes;
    await this.#makeRoom(key);
  }

  /** Returns `undefined` if the answer was dropped or can no longer be read. Never rejects. */
  async get(key: string): Promise<ToolResult | undefined> {
    const kept = this.#kept.get(key);
    if (kept?.file === undefined || kept.result !== undefined) return kept?.result;
    const { path, bytes } = kept.file;
    try {
      const result = await withValue(await readAnswer(path, bytes));
      if (this.#kept.get(key) !== kept || kept.result !== undefined) return result;
      kept.result = result;
      this.#inMemory += kept.bytes;
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      await this.#makeRoom(key);
      return result;
    } catch (error) {
      this.#options.onError(error);
      return undefined;
    }
  }

  delete(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#release(kept);
    if (kept.file === undefined) return;
    this.#onDisk -= kept.file.bytes;
    void remove(kept.file.path);
  }

  /**
   * Returns the answers of one run. It keeps only those of the named calls and releases them at its
   * end.
   */
  ofRun(named: ReadonlySet<string>): RunAnswers {
    this.#runs += 1;
    const run = this.#runs;
    const keyOf = (name: string): string => `run ${run} ${name}`;
    return {
      has: (name) => this.has(keyOf(name)),
      get: (name) => this.get(keyOf(name)),
      set: async (name, result) => {
        if (named.has(name)) await this.set(keyOf(name), result, 'disk');
      },
      dispose: () => {
        for (const name of named) this.delete(keyOf(name));
      },
    };
  }

  dispose(): void {
    for (const key of this.#kept.keys()) this.delete(key);
  }

  #release(kept: Kept): void {
    if (kept.result === undefined) return;
    delete kept.result;
    this.#inMemory -= kept.bytes;
  }

  /** Makes room one step after the other, so that no answer is written twice. */
  #makeRoom(newest: string): Promise<void> {
    this.#newest = newest;
    this.#makingRoom = this.#makingRoom.then(() => this.#moveOldest());
    return this.#makingRoom;
  }

  async #moveOldest(): Promise<void> {
    for (const [key, kept] of this.#kept) {
      if (this.#inMemory <= this.#options.maxBytes()) return;
      const { result, file, keptIn } = kept;
      if (result === undefined || key === this.#newest) continue;
      if (file === undefined && keptIn === 'disk') await this.#write(key, kept, result);
      // The call may have been made again meanwhile.
      if (this.#kept.get(key) !== kept) continue;
      if (kept.file === undefined) this.delete(key);
      else this.#release(kept);
    }
  }

  async #write(key: string, kept: Kept, result: ToolResult): Promise<void> {
    try {
      const path = await this.#options.folder.newPath();
      const bytes = (await writeAnswer(path, result, this.#maxOnDisk())) ?? 0;
      if (bytes === 0) return;
      if (this.#kept.get(key) !== kept) {
        await remove(path);
        return;
      }
      kept.file = { path, bytes };
      this.#onDisk += bytes;
      this.#dropOldestFiles(key);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #dropOldestFiles(newest: string): void {
    for (const [key, { file }] of this.#kept) {
      if (this.#onDisk <= this.#maxOnDisk()) return;
      if (file !== undefined && key !== newest) this.delete(key);
    }
  }

  #maxOnDisk(): number {
    return this.#options.maxBytes() * diskFactor;
  }
}

/** A file that cannot be removed is removed with its folder. */
async function remove(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}
