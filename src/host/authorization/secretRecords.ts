import { Emitter, type Disposable, type Event } from 'vscode-jsonrpc/node';
import type { SecretStore } from '../secrets/rememberedInputs';

/** The editor's store of secrets, where every window hears what another one changed. */
export interface SharedSecretStore extends SecretStore {
  readonly onDidChange: Event<{ readonly key: string }>;
}

export interface SecretRecordsOptions {
  readonly secrets: SharedSecretStore;
  /** Told once: what is kept from now on ends with the window. With what the store said, untrusted. */
  readonly onProblem: (detail: string) => void;
}

/** What belongs to sign-ins in the store of secrets; other keys are not touched. */
const prefix = 'authorization:';
/** What is longer is none of ours. */
const maxRecordChars = 512 * 1024;
/** More than all servers of a person have; beyond it everything is read anew. */
const maxReads = 1_000;

/**
 * Texts in the store of secrets, by keys of ours. Where it fails, such as on a Linux without a
 * keyring, they are held in memory. Never rejects.
 */
export class SecretRecords implements Disposable {
  readonly #options: SecretRecordsOptions;
  /** What the store did not take; `undefined` for what it did not remove. */
  readonly #unstored = new Map<string, string | undefined>();
  /** By key, until it is changed: each request of a server asks, and the store is another process. */
  readonly #reads = new Map<string, Promise<string | undefined>>();
  /** How much work goes on that must see what other windows changed a moment ago. */
  #exact = 0;
  readonly #subscription: Disposable;
  #isTold = false;

  readonly #onDidChange = new Emitter<void>();
  /** Something was kept or removed, by this window or another. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: SecretRecordsOptions) {
    this.#options = options;
    this.#subscription = options.secrets.onDidChange(({ key }) => {
      if (!key.startsWith(prefix)) return;
      this.#reads.delete(key.slice(prefix.length));
      this.#onDidChange.fire();
    });
  }

  /** As of the last change that this window heard of; during {@link exactly} as the store has it. */
  async get(key: string): Promise<string | undefined> {
    if (this.#unstored.has(key)) return this.#unstored.get(key);
    if (this.#exact > 0) return this.#read(key);
    const known = this.#reads.get(key);
    if (known !== undefined) return known;
    if (this.#reads.size >= maxReads) this.#reads.clear();
    // One that is changed while it is read is not here any more when the next one asks.
    const read = this.#read(key, () => {
      if (this.#reads.get(key) === read) this.#reads.delete(key);
    });
    this.#reads.set(key, read);
    return read;
  }

  /** While `work` goes on, every record is read from the store; nothing read before counts after it. */
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

  /** Those that begin so. */
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
    // The store says nothing of it.
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
