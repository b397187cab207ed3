import { Emitter, type Disposable, type Event } from 'vscode-jsonrpc/node';
import type { SecretStore } from '../secrets/rememberedInputs';
import { createHash } from 'node:crypto';

/** The editor's secret storage, which notifies every window of changes. */
export interface SharedSecretStore extends SecretStore {
  readonly onDidChange: Event<{ readonly key: string }>;
}

export interface SecretRecordsOptions {
  readonly secrets: SharedSecretStore;
  /**
   * Called once when secrets are kept only until the window closes, with the storage's message,
   * which is untrusted.
   */
  readonly onProblem: (detail: string) => void;
}

/** Prefix of the keys of sign-ins in secret storage. Other keys are not touched. */
const prefix = 'authorization:';
/** Longer values were not written by Toolgate. */
const maxRecordChars = 512 * 1024;
/** When more records are cached, all are read again. */
const maxReads = 1_000;

/**
 * Texts in secret storage by key. If it fails, for example on Linux without a keyring, they are
 * held in memory. Never rejects.
 */
export class SecretRecords implements Disposable {
  readonly #options: SecretRecordsOptions;
  /** Values that the storage did not accept; `undefined` for failed removals. */
  readonly #unstored = new Map<string, string | undefined>();
  /**
   * Cached reads by key, because every request to a server needs them and the storage is another
   * process.
   */
  readonly #reads = new Map<string, Promise<string | undefined>>();
  /** Number of running operations that must see the latest changes of other windows. */
  #exact = 0;
  readonly #subscription: Disposable;
  #isTold = false;

  readonly #onDidChange = new Emitter<void>();
  /** Fires when this or another window stored or removed a value. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: SecretRecordsOptions) {
    this.#options = options;
    this.#subscription = options.secrets.onDidChange(({ key }) => {
      if (!key.startsWith(prefix)) return;
      this.#reads.delete(key.slice(prefix.length));
      this.#onDidChange.fire();
    });
  }

  /**
   * Returns the value as of the last received change; during {@link exactly} it is read from
   * storage.
   */
  async get(key: string): Promise<string | undefined> {
    if (this.#unstored.has(key)) return this.#unstored.get(key);
    if (this.#exact > 0) return this.#read(key);
    const known = this.#reads.get(key);
    if (known !== undefined) return known;
    if (this.#reads.size >= maxReads) this.#reads.clear();
    // A record that changes while it is read is removed from the cache before the next caller.
    const read = this.#read(key, () => {
      if (this.#reads.get(key) === read) this.#reads.delete(key);
    });
    this.#reads.set(key, read);
    return read;
  }

  /** During `work`, every record is read from storage. Earlier reads are not reused afterwards. */
  async exactly<T>(work: () => Promise<T>): Promise<T> {
    this.#reads.clear();
    this.#exact += 1;
    try {
      return await work();
    } finally {
      this.#exact -= 1;
    }
  }

  async put(key: string, text: string): Promise<void> {
    await this.#change(key, text, () => this.#options.secrets.store(prefix + key, text));
  }

  async remove(key: string): Promise<void> {
    await this.#change(key, undefined, () => this.#options.secrets.delete(prefix + key));
  }

  /** Returns the keys with this prefix. */
  async keys(begin: string): Promise<readonly string[]> {
    const stored = (await this.#try(() => this.#options.secrets.keys())) ?? [];
    const keys = new Set(
      stored.flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : [])),
    );
    for (const [key, text] of this.#unstored) {
      if (text === undefined) keys.delete(key);
      else keys.add(key);
    }
    return [...keys].filter((key) => key.startsWith(begin));
  }

  dispose(): void {
    this.#reads.clear();
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  async #read(key: string, failed: () => void = () => undefined): Promise<string | undefined> {
    const read = await this.#try(async () => ({
      text: await this.#options.secrets.get(prefix + key),
    }));
    if (read === undefined) failed();
    const text = read?.text;
    return text !== undefined && text.length <= maxRecordChars ? text : undefined;
  }

  async #change(
    key: string,
    text: string | undefined,
    work: () => PromiseLike<void>,
  ): Promise<void> {
    const isDone = await this.#try(async () => {
      await work();
      return true;
    });
    this.#reads.delete(key);
    if (isDone === true) {
      this.#unstored.delete(key);
      return;
    }
    this.#unstored.set(key, text);
    // The storage sends no event for this change.
    this.#onDidChange.fire();
  }

  async #try<T>(work: () => PromiseLike<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!this.#isTold) {
        this.#isTold = true;
        this.#options.onProblem(error instanceof Error ? error.message : String(error));
      }
      return undefined;
    }
  }
}

/** Returns a key with a kind and a hash, so that keys do not reveal which servers are used. */
export function recordKey(kind: string, ...about: readonly string[]): string {
  return `${kind}:${hashOf(about)}`;
}

/** Hashes JSON, because addresses may contain any separator. */
export function hashOf(about: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(about)).digest('hex');
}
