import path from 'node:path';
import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import { McpError } from '../../../core/errors';
import type { CallOrigin } from '../facts/callOrigin';
import type { Server, ToolEntry } from '../../connections/snapshot';
import { RecordStore, type StorageProblem } from '../../storage/recordStore';
import { settleAll } from '../../storage/settleAll';
import type { Look, SharedChanges } from '../../storage/sharedChanges';
import type { CallFacts } from '../facts/callFacts';
import { serverFingerprint } from '../facts/fingerprints';
import {
  type Grant,
  type GrantDuration,
  type GrantWish,
  type SuspensionReason,
  parseGrant,
  parseGrantUse,
  type GrantUse,
} from './grant';
import {
  coverageOf,
  offeredWishes,
  suspensionOf,
  toGrant,
  type Coverage,
  type GrantTerms,
} from './grantCover';
import { ToolFingerprints } from '../pins/pinDefinition';
import { latestFirst } from '../../storage/latestFirst';

export interface GrantsOptions {
  /** Folder that all windows share. */
  readonly globalStorage: string;
  /** Folder of the workspace that is open; absent without one. */
  readonly workspaceStorage?: string;
  readonly onProblem: (problem: StorageProblem) => void;
  /** Where windows tell each other of changes. */
  readonly changes: SharedChanges;
  /** The setting `toolgate.permissions.allowBroadDestructiveGrants`, as it is now. */
  readonly allowsBroadDestructive: () => boolean;
  /** The servers as they are now, to say of each grant whether it is suspended. */
  readonly servers: () => readonly Server[];
  readonly fingerprints?: ToolFingerprints;
  readonly now?: () => number;
  /** A grant was given or withdrawn in this window. */
  readonly onAct?: (action: 'granted' | 'withdrawn', grant: Grant) => void;
}

/** A grant and how it stands to the servers as they are now. */
export interface GrantState {
  readonly grant: Grant;
  /** Why it covers nothing now. Absent, too, while its server is not running or not configured. */
  readonly suspended?: SuspensionReason;
  /** How many of the tools it was given for it does not cover any more, as far as is known. */
  readonly suspendedTools: number;
}

/**
 * The answers that a person had remembered: for this session in memory, for this workspace and for
 * always on the disk, where all windows see them.
 */
export class Grants implements Disposable {
  readonly #options: GrantsOptions;
  readonly #session = new Map<string, Grant>();
  readonly #stores: Readonly<Partial<Record<GrantDuration, RecordStore<Grant>>>>;
  readonly #uses: GrantUses;
  readonly #fingerprints: ToolFingerprints;
  readonly #now: () => number;
  readonly #subscriptions: readonly Disposable[];

  readonly #onDidChange = new Emitter<void>();
  /** A grant came or went; fires for those of other windows when they are looked at. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: GrantsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#fingerprints = options.fingerprints ?? new ToolFingerprints();
    const { globalStorage, workspaceStorage, onProblem, changes } = options;
    const storeOf = (duration: GrantDuration, folder: string): RecordStore<Grant> =>
      new RecordStore({
        folder: path.join(folder, 'grants'),
        parse: (value) => parseGrant(value, duration),
        onProblem,
        changes,
      });
    this.#stores = {
      ...(workspaceStorage === undefined
        ? {}
        : { workspace: storeOf('workspace', workspaceStorage) }),
      always: storeOf('always', globalStorage),
    };
    this.#uses = new GrantUses(path.join(globalStorage, 'grantUses'), onProblem, this.#now);
    this.#subscriptions = this.#all.map((store) =>
      store.onDidChange(() => this.#onDidChange.fire()),
    );
  }

  /**
   * What was remembered about a call, as all windows know it now. Never rejects: what cannot be
   * read was not remembered. `look` is one at the changes that was taken for this decision.
   */
  async covering(facts: CallFacts, look?: Promise<Look>): Promise<Coverage> {
    const grants = await this.#read(look);
    return coverageOf(grants, facts, this.#terms, this.#fingerprints);
  }

  /**
   * Remembers an answer; `tools` are those of the server as they are now. It takes the place of one
   * that was given for the same before.
   * @throws {StorageError} when it cannot be kept
   * @throws {McpError} internal when the wish may not be granted for this call
   */
  async remember(
    facts: CallFacts,
    wish: GrantWish,
    origin: CallOrigin,
    tools: readonly ToolEntry[],
  ): Promise<Grant> {
    const { scope, duration } = wish;
    const isOffered = offeredWishes(facts, {
      ...this.#terms,
      hasWorkspace: this.#stores.workspace !== undefined,
      isAskedByRule: false,
    }).some((offered) => offered.scope === scope && offered.duration === duration);
    if (!isOffered) throw new McpError('internal', { detail: `no grant for ${scope} ${duration}` });
    if (scope === 'readOnlyTools') await this.#fingerprints.prepare(tools);
    const occasion = { origin, tools, createdAt: this.#now() };
    const grant = toGrant(facts, wish, occasion, this.#fingerprints);
    const store = this.#stores[duration];
    if (store === undefined) {
      this.#session.set(grant.id, grant);
      this.#onDidChange.fire();
    } else await store.put(grant.id, grant);
    this.#options.onAct?.('granted', grant);
    return grant;
  }

  /** Keeps when a grant allowed a call the last time, to the minute. Returns at once. */
  noteUse(grant: Grant): void {
    this.#uses.note(grant);
  }

  /** Every grant of this window and of the storage, the newest first. Never rejects. */
  async all(): Promise<readonly GrantState[]> {
    const [grants] = await Promise.all([this.#read(), this.#uses.refresh()]);
    const servers = this.#options.servers();
    const states: GrantState[] = [];
    for (const grant of latestFirst(grants, ({ createdAt }) => createdAt)) {
      const server = servers.find(({ config }) => config.id === grant.server);
      if (server !== undefined) await this.#fingerprints.prepare(server.tools);
      const grantWithUse = this.#uses.withUse(grant);
      states.push({ grant: grantWithUse, ...this.#standing(grant, server) });
    }
    return states;
  }

  /** From the next decision on, in every window, it covers nothing. Idempotent. @throws {StorageError} */
  async withdraw(id: string): Promise<void> {
    const grant = (await this.#read()).find((each) => each.id === id);
    if (this.#session.delete(id)) this.#onDidChange.fire();
    await settleAll(this.#all.map((store) => store.remove(id)));
    if (grant !== undefined) this.#options.onAct?.('withdrawn', grant);
    await this.#uses.forget([id]);
  }

  /**
   * Withdraws every grant of this window, of the workspace, and for always; also what cannot be
   * read. Those that other workspaces and other windows hold for themselves stay.
   * @throws {StorageError} after trying all
   */
  async withdrawAll(): Promise<void> {
    const grants = await this.#read();
    this.#session.clear();
    this.#onDidChange.fire();
    await settleAll(this.#all.map((store) => store.removeAll()));
    for (const grant of grants) this.#options.onAct?.('withdrawn', grant);
    await this.#uses.forgetAll();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    for (const store of this.#all) store.dispose();
    this.#uses.dispose();
    this.#onDidChange.dispose();
  }

  get #terms(): GrantTerms {
    return { allowBroadDestructive: this.#options.allowsBroadDestructive() };
  }

  get #all(): readonly RecordStore<Grant>[] {
    return Object.values(this.#stores);
  }

  async #read(look = this.#options.changes.look()): Promise<readonly Grant[]> {
    await Promise.all(this.#all.map((store) => store.keepUp(look)));
    // Known by its key, whatever the record says, so that it can be withdrawn.
    const stored = this.#all.flatMap((store) =>
      store.entries().map(([id, grant]) => ({ ...grant, id })),
    );
    return [...this.#session.values(), ...stored];
  }

  #standing(grant: Grant, server: Server | undefined): Omit<GrantState, 'grant'> {
    if (server === undefined) return { suspendedTools: 0 };
    const { config } = server;
    const names = Object.keys(grant.tools);
    if (grant.serverFingerprint !== serverFingerprint(config)) {
      return { suspended: 'serverChanged', suspendedTools: names.length };
    }
    const reasons = server.tools
      .filter(({ tool }) => tool.callable && Object.hasOwn(grant.tools, tool.name))
      .map((entry) => suspensionOf(grant, config, entry, this.#terms, this.#fingerprints))
      .filter((reason) => reason !== undefined);
    const [first] = reasons;
    const suspendedTools = reasons.length;
    if (first === undefined || suspendedTools < names.length) return { suspendedTools };
    return { suspended: first, suspendedTools };
  }
}

/** People look at the date; the minute is more than they need. */
const writeEveryMs = 60_000;

/**
 * When grants were used the last time, to the minute. Kept apart from the grants, so that noting
 * the use of one can never bring it back after another window has withdrawn it.
 */
class GrantUses {
  readonly #store: RecordStore<GrantUse>;
  readonly #now: () => number;
  /** Of this window, by id; not all of it is written. */
  readonly #noted = new Map<string, number>();
  readonly #written = new Map<string, number>();

  constructor(
    folder: string,
    onProblem: (problem: StorageProblem) => void,
    now: () => number = Date.now,
  ) {
    this.#store = new RecordStore({ folder, parse: parseGrantUse, onProblem });
    this.#now = now;
  }

  /** Returns at once. */
  note({ id, duration }: Grant): void {
    const now = this.#now();
    this.#noted.set(id, now);
    if (duration === 'session') return;
    if (now - (this.#written.get(id) ?? -Infinity) < writeEveryMs) return;
    this.#written.set(id, now);
    this.#store.put(id, { lastUsedAt: now }).catch(() => {
      // It costs a date on a list; the grants themselves tell when their storage is broken.
    });
  }

  /** Never rejects. */
  refresh(): Promise<void> {
    return this.#store.refresh();
  }

  /** The grant with its last use; one before it was given was that of an earlier grant for the same. */
  withUse(grant: Grant): Grant {
    const stored = this.#store.get(grant.id)?.lastUsedAt ?? -Infinity;
    const lastUsedAt = Math.max(stored, this.#noted.get(grant.id) ?? -Infinity);
    return lastUsedAt >= grant.createdAt ? { ...grant, lastUsedAt } : grant;
  }

  /** Never rejects: a use without a grant says nothing to anybody. */
  async forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.#noted.delete(id);
      this.#written.delete(id);
    }
    await Promise.allSettled(ids.map((id) => this.#store.remove(id)));
  }

  /** Never rejects. */
  async forgetAll(): Promise<void> {
    this.#noted.clear();
    this.#written.clear();
    await this.#store.removeAll().catch(() => undefined);
  }

  dispose(): void {
    this.#store.dispose();
  }
}
