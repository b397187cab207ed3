import { rm } from 'node:fs/promises';
import type { Disposable } from 'vscode-jsonrpc/node';
import { withValue } from '../../core/content/structuredValue';
import { bytesInMemory } from '../../core/schema/valueWeight';
import type { ToolResult } from '../../core/types';
import { readAnswer, writeAnswer } from '../history/answerFile';
import type { SpoolFolder } from '../results/resultSpool';

export interface CallAnswersOptions {
  readonly folder: Pick<SpoolFolder, 'newPath'>;
  /** The most bytes in memory; asked at each answer. On disk there may be 16 times as many. */
  readonly maxBytes: () => number;
  /** An answer could not be written, and is not there any more. */
  readonly onError: (error: unknown) => void;
}

/** Where an answer goes when memory has no room for it: `memory` drops it. */
export type KeptIn = 'memory' | 'disk';

/** The answers of one run, by the names of its calls. */
export interface RunAnswers extends Disposable {
  has(name: string): boolean;
  get(name: string): Promise<ToolResult | undefined>;
  /** Resolves when the answer has its place. Never rejects. */
  set(name: string, result: ToolResult): Promise<void>;
}

interface Kept {
  /** Absent while it is on disk only. */
  result?: ToolResult;
  readonly bytes: number;
  readonly keptIn: KeptIn;
  file?: { readonly path: string; readonly bytes: number };
}

const diskFactor = 16;

/**
 * Answers of calls of call files, for later calls that take values from them. The newest is in memory,
 * however large it is, others as far as there is room; those that are wanted are on disk then.
 */
export class CallAnswers implements Disposable {
  readonly #options: CallAnswersOptions;
  /** Those that were used last at the end. */
  readonly #kept = new Map<string, Kept>();
  #inMemory = 0;
  #onDisk = 0;
  #newest = '';
  #runs = 0;
  #makingRoom: Promise<void> = Promise.resolve();

  constructor(options: CallAnswersOptions) {
    this.#options = options;
  }

  /** In bytes, as estimated. */
  get held(): { readonly inMemory: number; readonly onDisk: number } {
    return { inMemory: this.#inMemory, onDisk: this.#onDisk };
  }

  has(key: string): boolean {
    return this.#kept.has(key);
  }

  /** Resolves when there is room for it. Never rejects. */
  async set(key: string, result: ToolResult, keptIn: KeptIn): Promise<void> {
    this.delete(key);
    const bytes = bytesInMemory(result);
    this.#kept.set(key, { result, bytes, keptIn });
    this.#inMemory += bytes;
    await this.#makeRoom(key);
  }

  /** `undefined` where it was dropped or cannot be read any more. Never rejects. */
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

  /** For a run of its own, which keeps the answers of these calls alone and lets go of them at its end. */
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

  /** One after the other, so that none is written twice. */
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

/** What cannot be removed goes with its folder. */
async function remove(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}
