import type { Disposable, Event } from 'vscode-jsonrpc/node';
import { configHash } from '../../configuration/configurationHash';
import { type ServerConfig, serverKey } from '../../configuration/serverConfig';
import { number, optional, shape, string, type Parsed } from '../../../core/parse/parsers';
import { RecordStore, type StorageProblem } from '../../storage/recordStore';
import { parseStartFacts, startFacts, type StartFact } from './startFacts';
import { latestFirst } from '../../storage/recordFile';

/**
 * The user's approval of how one server is started. A refusal is not stored, so the question is
 * asked again.
 */
const parseTrust = shape({
  /** Id of the server in the configuration. */
  server: string,
  /** Where it is configured: the kind of the source, and the path of its file. */
  source: string,
  path: optional(string),
  /** The approval is valid for the server with this {@link configHash}. */
  configHash: string,
  /** The facts that were shown, with secrets masked. */
  facts: parseStartFacts,
  /** Milliseconds since the epoch. */
  trustedAt: number,
});
export type TrustRecord = Parsed<typeof parseTrust>;

/** A stored approval with the key for {@link ServerTrust.withdraw}. */
export interface TrustedServer extends TrustRecord {
  readonly key: string;
}

export type TrustState =
  | { readonly kind: 'trusted' }
  /** This server of this source was never approved. */
  | { readonly kind: 'first' }
  /** Another way to start it was approved. */
  | { readonly kind: 'changed'; readonly before: readonly StartFact[] };

export interface ServerTrustOptions {
  /** A folder in global storage, shared by all windows. */
  readonly folder: string;
  readonly onProblem: (problem: StorageProblem) => void;
  /** Called when the user answered in this window, or withdrew an answer. */
  readonly onAct?: (act: TrustChange) => void;
}

export type TrustChange =
  | { readonly kind: 'trusted' | 'refused'; readonly config: ServerConfig }
  | { readonly kind: 'withdrawn'; readonly record: TrustRecord };

/**
 * The servers that the user agreed to start, each with exactly the approved configuration,
 * including values of environment variables and headers. A server is identified by its source and
 * its id. The demo server of the extension is always trusted.
 */
export class ServerTrust implements Disposable {
  readonly #options: ServerTrustOptions;
  readonly #store: RecordStore<TrustRecord>;
  /** Hashes of approvals that could not be written, by key. They are valid in this window. */
  readonly #unwritten = new Map<string, string>();
  /** Fires when {@link all} may have changed. */
  readonly onDidChange: Event<void>;

  constructor(options: ServerTrustOptions) {
    this.#options = options;
    this.#store = new RecordStore<TrustRecord>({ ...options, parse: parseTrust });
    this.onDidChange = this.#store.onDidChange;
  }

  /** Includes approvals of other windows. What cannot be read is not trusted. Never rejects. */
  async stateOf(config: ServerConfig): Promise<TrustState> {
    if (config.source.kind === 'demo') return { kind: 'trusted' };
    await this.#store.refresh();
    const key = serverKey(config);
    const hash = configHash(config);
    const record = this.#store.get(key);
    if (record?.configHash === hash || this.#unwritten.get(key) === hash) {
      return { kind: 'trusted' };
    }
    return record === undefined ? { kind: 'first' } : { kind: 'changed', before: record.facts };
  }

  /**
   * Stores the approval of exactly this configuration. If it cannot be written, it is valid until
   * the window closes.
   * @throws {StorageError}
   */
  async trust(config: ServerConfig): Promise<void> {
    const { id, source } = config;
    const path = 'path' in source ? source.path : undefined;
    const key = serverKey(config);
    const hash = configHash(config);
    this.#unwritten.set(key, hash);
    this.#options.onAct?.({ kind: 'trusted', config });
    await this.#store.put(key, {
      server: id,
      source: source.kind,
      ...(path === undefined ? {} : { path }),
      configHash: hash,
      facts: startFacts(config),
      trustedAt: Date.now(),
    });
    if (this.#unwritten.get(key) === hash) this.#unwritten.delete(key);
  }

  /** Reports a refusal. It is not stored, so the question is asked again. */
  refuse(config: ServerConfig): void {
    this.#options.onAct?.({ kind: 'refused', config });
  }

  /** Returns every stored approval, newest first. */
  async all(): Promise<readonly TrustedServer[]> {
    await this.#store.refresh();
    const records = this.#store.entries().map(([key, record]) => ({ key, ...record }));
    return latestFirst(records, ({ trustedAt }) => trustedAt);
  }

  /** Withdraws an approval. A running server continues. Idempotent. @throws {StorageError} */
  async withdraw(key: string): Promise<void> {
    this.#unwritten.delete(key);
    const record = this.#store.get(key);
    await this.#store.remove(key);
    if (record !== undefined) this.#options.onAct?.({ kind: 'withdrawn', record });
  }

  /** @throws {StorageError} for the first that could not be removed, after trying all */
  async withdrawAll(): Promise<void> {
    this.#unwritten.clear();
    await this.#store.refresh();
    const records = this.#store.entries().map(([, record]) => record);
    // Includes unreadable records.
    await this.#store.removeAll();
    for (const record of records) this.#options.onAct?.({ kind: 'withdrawn', record });
  }

  dispose(): void {
    this.#store.dispose();
  }
}
