import path from 'node:path';
import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import { McpError } from '../../../core/errors';
import type { CallOrigin, CallFacts } from '../facts/callFacts';
import type { Server, ToolEntry } from '../../connections/snapshot';
import { RecordStore, type StorageProblem } from '../../storage/recordStore';
import { settleAll, latestFirst } from '../../storage/recordFile';
import type { Look, SharedChanges } from '../../storage/sharedChanges';
import { serverFingerprint } from '../facts/fingerprints';
import {
  type Grant,
  type GrantDuration,
  type GrantChoice,
  type SuspensionReason,
  parseGrant,
  parseGrantUse,
  type GrantUse,
} from './grant';
import {
  findCoverage,
  offeredGrants,
  findSuspension,
  toGrant,
  type Coverage,
  type GrantTerms,
} from './grantCover';
import { ToolFingerprints } from '../pins/pinDefinition';

export interface GrantsOptions {
  /** Folder that all windows share. */
  readonly globalStorage: string;
  /** Folder of the open workspace; undefined if none is open. */
  readonly workspaceStorage?: string;
  readonly onProblem: (problem: StorageProblem) => void;
  /** Announces changes between windows. */
  readonly changes: SharedChanges;
  /** Returns the setting `toolgate.permissions.allowBroadDestructiveGrants`. */
  readonly allowsBroadDestructive: () => boolean;
  /** Returns the current servers, to determine which grants are suspended. */
  readonly servers: () => readonly Server[];
  readonly fingerprints?: ToolFingerprints;
  readonly now?: () => number;
  /** Called when a grant was given or withdrawn in this window. */
  readonly onAct?: (action: 'granted' | 'withdrawn', grant: Grant) => void;
}

/** A grant with its current state. */
export interface GrantState {
  readonly grant: Grant;
  /** Why it is suspended. Also undefined while its server is not running or not configured. */
  readonly suspended?: SuspensionReason;
  /** Number of its tools that it no longer covers, as far as known. */
  readonly suspendedTools: number;
}

/**
 * Remembered answers: those of the session in memory, those of the workspace and permanent ones on
 * disk, shared by all windows.
 */
export class Grants implements Disposable {
  readonly #options: GrantsOptions;
  readonly #session = new Map<string, Grant>();
  readonly #stores: Readonly<Partial<Record<GrantDuration, RecordStore<Grant>>>>;
  readonly #all: readonly RecordStore<Grant>[];
  readonly #uses: GrantUses;
  readonly #fingerprints: ToolFingerprints;
  readonly #now: () => number;
  readonly #subscriptions: readonly Disposable[];

  readonly #onDidChange = new Emitter<void>();
  /** Fires when a grant was added or removed; for other windows' grants, when they are read. */
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
    this.#all = Object.values(this.#stores);
    this.#subscriptions = this.#all.map((store) =>
      store.onDidChange(() => this.#onDidChange.fire()),
    );
  }

  /**
   * Returns the grants about a call, including those of other windows. Never rejects: unreadable
   * grants do not count. `look` is the state of the change counter for this decision.
   */
  async covering(facts: CallFacts, look?: Look): Promise<Coverage> {
    const grants = await this.#read(look);
    return findCoverage(grants, facts, this.#terms, this.#fingerprints);
  }

  /**
   * Stores an answer; `tools` are the server's current tools. It replaces an earlier grant for the
   * same.
   * @throws {StorageError} if it cannot be stored
   * @throws {McpError} internal if this call may not have such a grant
   */
  async remember(
    facts: CallFacts,
    choice: GrantChoice,
    origin: CallOrigin,
    tools: readonly ToolEntry[],
  ): Promise<Grant> {
    const { scope, duration } = choice;
    const isOffered = offeredGrants(facts, {
      ...this.#terms,
      hasWorkspace: this.#stores.workspace !== undefined,
      isAskedByRule: false,
    }).some((offered) => offered.scope === scope && offered.duration === duration);
    if (!isOffered) throw new McpError('internal', { detail: `no grant for ${scope} ${duration}` });
    if (scope === 'readOnlyTools') await this.#fingerprints.prepare(tools);
    const occasion = { origin, tools, createdAt: this.#now() };
    const grant = toGrant(facts, choice, occasion, this.#fingerprints);
    const store = this.#stores[duration];
    if (store === undefined) {
      this.#session.set(grant.id, grant);
      this.#onDidChange.fire();
      this.#options.onAct?.('granted', grant);
      return grant;
    }
    try {
      await store.put(grant.id, grant);
    } finally {
      // It also counts if only the other windows could not be told.
      if (store.get(grant.id) === grant) this.#options.onAct?.('granted', grant);
    }
    return grant;
  }

  /** Records the last use of a grant, to the minute. Returns at once. */
  noteUse(grant: Grant): void {
    this.#uses.note(grant);
  }

  /** Returns every grant of this window and of the storage, newest first. Never rejects. */
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

  /**
   * Withdraws a grant, from the next decision on and in every window. Idempotent. @throws
   * {StorageError}
   */
  async withdraw(id: string): Promise<void> {
    const grant = (await this.#read()).find((each) => each.id === id);
    if (this.#session.delete(id)) this.#onDidChange.fire();
    await this.#recording(
      grant === undefined ? [] : [grant],
      settleAll(this.#all.map((store) => store.remove(id))),
    );
    await this.#uses.forget([id]);
  }

  /**
   * Withdraws every grant of this window, of the workspace, and all permanent ones, including
   * unreadable ones. Those of other workspaces and sessions stay.
   * @throws {StorageError} after trying all
   */
  async withdrawAll(): Promise<void> {
    const grants = await this.#read();
    this.#session.clear();
    this.#onDidChange.fire();
    await this.#recording(grants, settleAll(this.#all.map((store) => store.removeAll())));
    await this.#uses.forgetAll();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    for (const store of this.#all) store.dispose();
    this.#uses.dispose();
    this.#onDidChange.dispose();
  }

  /** Reports those of `grants` that are gone, even if not everything could be done. */
  async #recording(grants: readonly Grant[], withdrawal: Promise<void>): Promise<void> {
    try {
      await withdrawal;
    } finally {
      for (const grant of grants) {
        const isGone = this.#all.every((store) => store.get(grant.id) === undefined);
        if (isGone) this.#options.onAct?.('withdrawn', grant);
      }
    }
  }

  get #terms(): GrantTerms {
    return { allowBroadDestructive: this.#options.allowsBroadDestructive() };
  }

  async #read(look?: Look): Promise<readonly Grant[]> {
    if (!this.#all.every((store) => store.isCurrent(look)))
      await Promise.all(this.#all.map((store) => store.keepUp(look)));
    // Identified by its key, whatever the record contains, so that it can be withdrawn.
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
      .map((entry) => findSuspension(grant, config, entry, this.#terms, this.#fingerprints))
      .filter((reason) => reason !== undefined);
    const [first] = reasons;
    const suspendedTools = reasons.length;
    if (first === undefined || suspendedTools < names.length) return { suspendedTools };
    return { suspended: first, suspendedTools };
  }
}

/** The date is shown to the minute at most. */
const writeEveryMs = 60_000;

/**
 * The last use of each grant, to the minute. Stored apart from the grants, so that recording a use
 * never restores a grant that another window withdrew.
 */
class GrantUses {
  readonly #store: RecordStore<GrantUse>;
  readonly #now: () => number;
  /** Uses in this window by grant id; not all of them are written. */
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
      // Only a date in a list is lost; the grants themselves report storage problems.
    });
  }

  /** Never rejects. */
  refresh(): Promise<void> {
    return this.#store.refresh();
  }

  /**
   * Returns the grant with its last use. A use before the grant was given belongs to an earlier
   * grant for the same.
   */
  withUse(grant: Grant): Grant {
    const stored = this.#store.get(grant.id)?.lastUsedAt ?? -Infinity;
    const lastUsedAt = Math.max(stored, this.#noted.get(grant.id) ?? -Infinity);
    return lastUsedAt >= grant.createdAt ? { ...grant, lastUsedAt } : grant;
  }

  /** Never rejects; a leftover use without a grant has no effect. */
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
