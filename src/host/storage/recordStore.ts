import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import {
  isTemporary,
  readRecordFile,
  isRecordFile,
  recordFileName,
  removeLeftover,
  fileStamp,
  writeRecordFile,
  type FileStamp,
  parseRecordBytes,
  recordText,
  type StoredRecord,
  type RecordFault,
  setAside,
} from './recordFile';
import { Freshness, type Look, type SharedChanges } from './sharedChanges';
import { ifNotFound, isNotFound } from '../../core/bounds/systemError';

/** A problem in a folder of records. Reported once while it lasts. */
export interface StorageProblem {
  /** Full path of the record, or of the folder. */
  readonly file: string;
  readonly code: RecordFault | 'unreadable';
  /**
   * The name under which the file was set aside, in the same folder and with its content unchanged.
   */
  readonly setAsideAs?: string;
  /** The message of the system or the parser: untrusted. */
  readonly detail: string;
}

export interface RecordStoreOptions<T> {
  /** Created at the first write. */
  readonly folder: string;
  /** Returns `undefined` if the value is no record; its file is then set aside unchanged. */
  readonly parse: (value: unknown) => T | undefined;
  readonly onProblem: (problem: StorageProblem) => void;
  /** Announces changes between windows. Without it, {@link RecordStore.keepUp} reads each time. */
  readonly changes?: SharedChanges;
}

/** A record could not be written or removed. What was stored before stays. */
export class StorageError extends Error {
  constructor(
    readonly file: string,
    readonly detail: string,
    cause?: unknown,
  ) {
    super(`${file}: ${detail}`, { cause });
    this.name = 'StorageError';
  }
}

/** A larger file is set aside unread, and a larger record is not written. */
const maxRecordBytes = 1024 * 1024;
/** Number of files that are open at once. */
const batchSize = 32;

type KnownFile<T> =
  | (StoredRecord<T> & { readonly stamp: FileStamp; readonly order: number })
  /** A file that stays as it is and is checked again when it changes. */
  | {
      readonly kind: 'problem';
      readonly order?: never;
      readonly stamp?: FileStamp;
      readonly problem: StorageProblem;
    };

/**
 * Small JSON records in a folder, one file each, shared by several windows: no window overwrites
 * another's records, a record is never incomplete, and a broken file is one lost record, which is
 * set aside. Operations run in the order of the calls.
 */
export class RecordStore<T extends object> implements Disposable {
  readonly #options: RecordStoreOptions<T>;
  /** Keyed by file name, in the order in which the records were stored. */
  #files = new Map<string, KnownFile<T>>();
  #folderProblem: StorageProblem | undefined;
  #told = new Set<string>();
  readonly #order = new RecordOrder();
  readonly #freshness = new Freshness();
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** A refresh that has not begun; it will see everything stored until now. */
  #nextRefresh: Promise<void> | undefined;

  readonly #onDidChange = new Emitter<void>();
  /**
   * Fires after a put or remove, also one that threw because it was made only in part or could not
   * be announced, and after a refresh that found a difference.
   */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: RecordStoreOptions<T>) {
    this.#options = options;
  }

  /**
   * True if the last refresh could read everything. Otherwise there may be records that are missing
   * from {@link entries}.
   */
  get isComplete(): boolean {
    if (this.#folderProblem !== undefined) return false;
    return [...this.#files.values()].every(({ kind }) => kind === 'record');
  }

  /**
   * Applies what other windows wrote and removed. Reads only changed files. Never rejects: what
   * cannot be read is reported once and counts as missing.
   */
  refresh(): Promise<void> {
    return this.#read(undefined);
  }

  /** Returns true if {@link keepUp} would read nothing, for callers that would wait for it. */
  isCurrent(look: Look): boolean {
    return this.#freshness.holds(look);
  }

  /**
   * Like {@link refresh}, but reads nothing if the data is still current according to `look`, which
   * callers may have taken already. Never rejects.
   */
  async keepUp(look?: Look): Promise<void> {
    const now = look ?? (await this.#options.changes?.look());
    // The turn in progress may read what is needed.
    if (!this.#freshness.holds(now)) await this.#lastTurn;
    if (!this.#freshness.holds(now)) await this.#read(now);
  }

  /** As of the last refresh, put or remove. */
  get(key: string): T | undefined {
    const known = this.#files.get(recordFileName(key));
    return known?.kind === 'record' ? known.record : undefined;
  }

  /** As of the last refresh, put or remove, in the order in which they were first stored. */
  entries(): readonly (readonly [key: string, record: T])[] {
    return [...this.#files.values()].flatMap((known) =>
      known.kind === 'record' ? [[known.key, known.record] as const] : [],
    );
  }

  /**
   * Resolves when the record is on disk. `record` must be plain JSON data of at most 1 MiB.
   * @throws {StorageError}
   */
  put(key: string, record: T): Promise<void> {
    const name = recordFileName(key);
    const file = this.#pathOf(name);
    return this.#change(file, async () => {
      const order = this.#files.get(name)?.order ?? this.#order.next();
      const text = recordText(key, record, { order, maxBytes: maxRecordBytes });
      const stamp = await writeRecordFile(file, text);
      this.#files.set(name, { kind: 'record', stamp, key, record, order });
    });
  }

  /** Resolves when the record is gone, or if there was none. @throws {StorageError} */
  remove(key: string): Promise<void> {
    const name = recordFileName(key);
    const file = this.#pathOf(name);
    return this.#change(file, async () => {
      await rm(file, { force: true });
      this.#files.delete(name);
    });
  }

  /**
   * Removes every record, including unreadable ones, or the files selected by name. Resolves with
   * their names. @throws {StorageError}
   */
  async removeAll(isDoomed = isRecordFile): Promise<readonly string[]> {
    const { folder } = this.#options;
    let doomed: readonly string[] = [];
    await this.#change(folder, async () => {
      const names = await readdir(folder).catch(ifNotFound<string[]>([]));
      doomed = names.filter(isDoomed);
      for (const name of doomed) {
        await rm(this.#pathOf(name), { force: true });
        this.#files.delete(name);
      }
      // Includes files that another process removed since.
      for (const name of this.#files.keys()) if (isDoomed(name)) this.#files.delete(name);
    });
    return doomed;
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #read(look: Look): Promise<void> {
    this.#nextRefresh ??= this.#inTurn(async () => {
      this.#nextRefresh = undefined;
      if (look === undefined) await this.#refresh();
      else await this.#freshness.during(look, () => this.#refresh());
    });
    return this.#nextRefresh;
  }

  #change(file: string, work: () => Promise<void>): Promise<void> {
    // A refresh requested from now on must see this change.
    this.#nextRefresh = undefined;
    return this.#inTurn(async () => {
      try {
        await (this.#options.changes?.during(work) ?? work());
      } catch (error) {
        throw new StorageError(file, messageOf(error), error);
      } finally {
        this.#onDidChange.fire();
      }
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async #refresh(): Promise<void> {
    const before = this.#files;
    const problems: StorageProblem[] = [];
    this.#files = await this.#readFolder(problems);
    this.#notify(problems);
    const isSame =
      before.size === this.#files.size &&
      [...this.#files].every(([name, known]) => before.get(name) === known);
    if (!isSame) this.#onDidChange.fire();
  }

  async #readFolder(problems: StorageProblem[]): Promise<Map<string, KnownFile<T>>> {
    const { folder } = this.#options;
    const found = new Map<string, KnownFile<T>>();
    this.#folderProblem = undefined;
    let names: readonly string[] = [];
    try {
      names = await readdir(folder);
    } catch (error) {
      // The folder is created at the first write.
      if (isNotFound(error)) return found;
      this.#folderProblem = { file: folder, code: 'unreadable', detail: messageOf(error) };
      problems.push(this.#folderProblem);
      return found;
    }
    for (const name of names.filter(isTemporary)) await removeLeftover(this.#pathOf(name));
    const records = names.filter(isRecordFile);
    for (let start = 0; start < records.length; start += batchSize) {
      const batch = records.slice(start, start + batchSize);
      const files = await Promise.all(batch.map((name) => this.#look(name, problems)));
      for (const [index, name] of batch.entries()) {
        const known = files[index];
        if (known !== undefined) found.set(name, known);
      }
    }
    return inOrder(found);
  }

  /** Returns `undefined` if the file is gone. */
  async #look(name: string, problems: StorageProblem[]): Promise<KnownFile<T> | undefined> {
    const known = this.#files.get(name);
    const seen = await this.#readOne(name, known).catch(
      (error: unknown): KnownFile<T> | undefined => {
        if (isNotFound(error)) return undefined;
        const file = this.#pathOf(name);
        const problem = { file, code: 'unreadable', detail: messageOf(error) } as const;
        // Keeps the same object, so that a refresh sees no difference.
        const isSame = known?.kind === 'problem' && known.problem.detail === problem.detail;
        return isSame ? known : { kind: 'problem', problem };
      },
    );
    if (seen?.kind !== 'problem') return seen;
    problems.push(seen.problem);
    return seen.problem.setAsideAs === undefined ? seen : undefined;
  }

  async #readOne(name: string, known: KnownFile<T> | undefined): Promise<KnownFile<T> | undefined> {
    const file = this.#pathOf(name);
    if (known?.stamp !== undefined && (await fileStamp(file)) === known.stamp) return known;
    const content = await readRecordFile(file, maxRecordBytes);
    const { stamp } = content;
    const parsed = parseRecordBytes(content, name, this.#options.parse);
    if (parsed.kind === 'record') return { order: orderOfFile(stamp), ...parsed, stamp };
    const problem = { file, code: parsed.fault, detail: parsed.detail };
    // A newer version of the extension will need the file again.
    if (parsed.fault === 'otherVersion') return { kind: 'problem', stamp, problem };
    const setAsideAs = await setAside(file, stamp);
    return setAsideAs === undefined
      ? undefined
      : { kind: 'problem', stamp, problem: { ...problem, setAsideAs } };
  }

  #notify(problems: readonly StorageProblem[]): void {
    const told = this.#told;
    this.#told = new Set(problems.map((problem) => JSON.stringify(problem)));
    for (const problem of problems) {
      if (!told.has(JSON.stringify(problem))) this.#options.onProblem(problem);
    }
  }

  #pathOf(name: string): string {
    return path.join(this.#options.folder, name);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Increasing numbers for stored records: microseconds since the epoch, so that they fit in with
 * those of other windows and earlier sessions.
 */
class RecordOrder {
  #last = 0;

  next(): number {
    this.#last = Math.max(this.#last + 1, Date.now() * 1_000);
    return this.#last;
  }
}

/** Returns the order of a record without a number: when its file was written. */
function orderOfFile(stamp: FileStamp): number {
  return Number(BigInt(stamp.split(' ')[1] ?? 0) / 1_000n);
}

/** Sorts by the order of storing. Records without an order come first. */
function inOrder<T extends { readonly order?: number }>(
  found: ReadonlyMap<string, T>,
): Map<string, T> {
  const placeOf = ({ order = 0 }: T): number => order;
  return new Map([...found].toSorted(([, one], [, other]) => placeOf(one) - placeOf(other)));
}
