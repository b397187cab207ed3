import { type Disposable, Emitter } from 'vscode-jsonrpc/node';
import { configHash } from '../../configuration/configurationHash';
import { type ServerConfig, serverKey } from '../../configuration/serverConfig';
import { RecordStore, type StorageProblem } from '../../storage/recordStore';
import { parseStartFacts, startFacts, type StartFact } from './startFacts';
import { latestFirst } from '../../storage/latestFirst';

/** A yes to how one server is started. A no is not kept: it is asked again. */
export interface TrustRecord {
  /** Id of the server in the configuration. */
  readonly server: string;
  /** Where it is configured: the kind of the place, and the path of the file if it is one. */
  readonly source: string;
  readonly path?: string;
  /** The answer holds for a server whose {@link configHash} is this. */
  readonly configHash: string;
  /** What was shown, secrets masked. */
  readonly facts: readonly StartFact[];
  /** Epoch ms. */
  readonly trustedAt: number;
}

/** A remembered yes with the key that {@link ServerTrust.withdraw} takes. */
export interface TrustedServer extends TrustRecord {
  readonly key: string;
}

export type TrustState =
  | { readonly kind: 'trusted' }
  /** Nobody has agreed to start this server of this place. */
  | { readonly kind: 'first' }
  /** Somebody has agreed to another way to start it. */
  | { readonly kind: 'changed'; readonly before: readonly StartFact[] };

export interface ServerTrustOptions {
  /** In global storage; all windows share it. */
  readonly folder: string;
  readonly onProblem: (problem: StorageProblem) => void;
  /** A person answered in this window, or withdrew an answer. */
  readonly onAct?: (act: TrustAct) => void;
}

export type TrustAct =
  | { readonly kind: 'trusted' | 'refused'; readonly config: ServerConfig }
  | { readonly kind: 'withdrawn'; readonly record: TrustRecord };

/**
 * Which servers a person has agreed to start, each exactly as it was configured then, values of
 * environment variables and headers included. A server is known by where it is configured and by
 * its id there. The demo server that ships with the extension is trusted as it is.
 */
export class ServerTrust implements Disposable {
  readonly #options: ServerTrustOptions;
  readonly #store: RecordStore<TrustRecord>;
  /** Hashes by key, of answers that could not be written: good as long as this window. */
  readonly #unwritten = new Map<string, string>();
  readonly #subscription: Disposable;

  readonly #onDidChange = new Emitter<void>();
  /** {@link all} may be different from before. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: ServerTrustOptions) {
    this.#options = options;
    this.#store = new RecordStore<TrustRecord>({ ...options, parse: parseTrust });
    this.#subscription = this.#store.onDidChange(() => this.#onDidChange.fire());
  }

  /** As all windows know it now. What cannot be read is not trusted. Never rejects. */
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
   * Keeps the answer to what was shown about exactly this configuration. Where it cannot be
   * written, it counts in this window until it is closed.
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

  /** The person said no; nothing is kept, and it is asked again. */
  refuse(config: ServerConfig): void {
    this.#options.onAct?.({ kind: 'refused', config });
  }

  /** Every answer that is kept, the newest first. */
  async all(): Promise<readonly TrustedServer[]> {
    await this.#store.refresh();
    const records = this.#store.entries().map(([key, record]) => ({ key, ...record }));
    return latestFirst(records, ({ trustedAt }) => trustedAt);
  }

  /** From now on it is asked again; what runs goes on. Idempotent. @throws {StorageError} */
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
    // Also what cannot be read.
    await this.#store.removeAll();
    for (const record of records) this.#options.onAct?.({ kind: 'withdrawn', record });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
    this.#store.dispose();
  }
}

function parseTrust(value: unknown): TrustRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const record: Partial<Record<keyof TrustRecord, unknown>> = value;
  const { server, source, path, configHash: hash, trustedAt } = record;
  const facts = parseStartFacts(record.facts);
  if (typeof server !== 'string' || typeof source !== 'string' || typeof hash !== 'string') {
    return undefined;
  }
  if (typeof trustedAt !== 'number' || facts === undefined) return undefined;
  if (path !== undefined && typeof path !== 'string') return undefined;
  return {
    server,
    source,
    ...(path === undefined ? {} : { path }),
    configHash: hash,
    facts,
    trustedAt,
  };
}
