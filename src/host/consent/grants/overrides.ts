import path from 'node:path';
import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import { McpError } from '../../../core/errors';
import { type Risk, type RiskOverride, riskOfTool, riskLevels } from '../../../core/risk';
import type { Tool } from '../../../core/types';
import { type CallOrigin, callOrigins, type CallFacts } from '../facts/callFacts';
import { type ServerConfig, serverKey } from '../../configuration/serverConfig';
import type { Server } from '../../connections/snapshot';
import { RecordStore, type StorageProblem } from '../../storage/recordStore';
import { settleAll, latestFirst } from '../../storage/recordFile';
import type { Look, SharedChanges } from '../../storage/sharedChanges';
import {
  fingerprint,
  serverFingerprint,
  toolFingerprint,
  parseFingerprint,
} from '../facts/fingerprints';
import type { SuspensionReason, GrantDuration } from './grant';
import { isDistinctFingerprint } from '../pins/pinDefinition';
import {
  flag,
  number,
  oneOf,
  optional,
  shape,
  string,
  type Parsed,
} from '../../../core/parse/parsers';

export interface RiskOverridesOptions {
  /** Folder that all windows share. */
  readonly globalStorage: string;
  /** Folder of the open workspace; undefined if none is open. */
  readonly workspaceStorage?: string;
  readonly onProblem: (problem: StorageProblem) => void;
  /** Announces changes between windows. */
  readonly changes: SharedChanges;
  /** Returns the current servers, to determine which overrides are suspended. */
  readonly servers: () => readonly Server[];
  readonly now?: () => number;
  /** Called when an override was set or withdrawn in this window. */
  readonly onAct?: (action: 'overrideSet' | 'overrideWithdrawn', record: OverrideRecord) => void;
}

/** The risk that the user sets for a tool, and its scope. */
export interface OverrideChoice {
  readonly config: ServerConfig;
  /** The definition that the user saw. */
  readonly tool: Tool;
  readonly override: RiskOverride;
  readonly scope: OverrideScope;
  readonly origin: CallOrigin;
}

/** An override with its current state. */
export interface OverrideState {
  readonly id: string;
  readonly scope: OverrideScope;
  readonly record: OverrideRecord;
  /** Why it is suspended. Also undefined while its server or its tool is missing. */
  readonly suspended?: Extract<SuspensionReason, 'serverChanged' | 'toolChanged'>;
}

/** Number of hash characters, enough to avoid collisions. */
const idChars = 40;

/**
 * The risks that the user set for tools, for this workspace or for all. Each is bound to the server
 * and the definition that the user saw. It does not prevent a question on its own: it changes what
 * is shown, and what rules about risk match.
 */
export class RiskOverrides implements Disposable {
  readonly #options: RiskOverridesOptions;
  readonly #stores: ReadonlyMap<OverrideScope, RecordStore<OverrideRecord>>;
  readonly #all: readonly RecordStore<OverrideRecord>[];
  readonly #subscriptions: readonly Disposable[];
  /** Keyed by server id, then by tool name; the override that takes precedence comes first. */
  #known = new Map<string, Map<string, OverrideState[]>>();
  #isRead = false;

  readonly #onDidChange = new Emitter<void>();
  /** Fires when the risk of a tool may have changed; for other windows' changes, at a refresh. */
  readonly onDidChange = this.#onDidChange.event;

  /** Contains nothing before the first {@link refresh}. */
  constructor(options: RiskOverridesOptions) {
    this.#options = options;
    const { globalStorage, workspaceStorage, onProblem, changes } = options;
    const storeIn = (folder: string): RecordStore<OverrideRecord> =>
      new RecordStore({
        folder: path.join(folder, 'overrides'),
        parse: parseOverride,
        onProblem,
        changes,
      });
    const ofWorkspace = workspaceStorage === undefined ? [] : [storeIn(workspaceStorage)];
    this.#stores = new Map([
      // An override of this workspace takes precedence over one for all.
      ...ofWorkspace.map((store) => ['workspace', store] as const),
      ['always', storeIn(globalStorage)] as const,
    ]);
    this.#all = [...this.#stores.values()];
    this.#subscriptions = this.#all.map((store) => store.onDidChange(() => this.#takeOver()));
  }

  /** Scopes that an override can have here, smallest first. */
  get scopes(): readonly OverrideScope[] {
    return [...this.#stores.keys()];
  }

  /**
   * True if everything stored could be read. If not, the user may have set a higher risk than
   * {@link riskOf} returns.
   */
  get isComplete(): boolean {
    return this.#isRead && this.#all.every((store) => store.isComplete);
  }

  /** Applies what other windows set and withdrew. Reads only what changed; never rejects. */
  async refresh(): Promise<void> {
    await Promise.all(this.#all.map((store) => store.refresh()));
    this.#isRead = true;
  }

  /** Returns the effective risk of a tool, as of the last refresh. */
  riskOf(config: ServerConfig, tool: Tool): Risk {
    const speaking = this.#speakingOf(config, tool.name);
    const counting = speaking.find(
      (state) => suspensionOf(state.record, config, tool) === undefined,
    );
    return riskOfTool(tool, counting?.record.override);
  }

  /**
   * Returns the facts about a call with the tool's risk, including overrides of other windows.
   * `look` is the state of the change counter for this decision.
   * @throws {Error} if a stored override cannot be read, because it may set a higher risk
   */
  async effective(facts: CallFacts, look?: Look): Promise<CallFacts> {
    if (!this.#all.every((store) => store.isCurrent(look)))
      await Promise.all(this.#all.map((store) => store.keepUp(look)));
    this.#isRead = true;
    if (!this.isComplete) throw new Error('an override of risk cannot be read');
    const risk = this.riskOf(facts.config, facts.entry.tool);
    return { ...facts, entry: { ...facts.entry, risk } };
  }

  /**
   * Returns what {@link takeBack} would withdraw, including suspended overrides. The one that
   * counts comes first.
   */
  of(config: ServerConfig, tool: Tool): readonly OverrideState[] {
    const id = idOf(config, tool.name);
    return this.#speakingOf(config, tool.name)
      .filter((state) => state.id === `${state.scope}-${id}`)
      .map((state) => withSuspension(state, suspensionOf(state.record, config, tool)))
      .toSorted((one, other) => Number(isSuspended(one)) - Number(isSuspended(other)));
  }

  /**
   * Returns true if the definition has a distinct fingerprint, to which an override can be bound.
   */
  canBind(tool: Tool): boolean {
    return tool.callable && isDistinctFingerprint(toolFingerprint(tool));
  }

  /**
   * Stores an override. It replaces an earlier one for the same tool and scope; one for all
   * workspaces also replaces that of this workspace.
   * @throws {StorageError} if it cannot be stored
   * @throws {McpError} internal for a tool or scope that cannot have one
   */
  async set({ config, tool, override, scope, origin }: OverrideChoice): Promise<void> {
    const store = this.#stores.get(scope);
    if (store === undefined || !this.canBind(tool)) {
      throw new McpError('internal', { detail: `no override of risk for ${scope}` });
    }
    const { level, openWorld } = override;
    const record: OverrideRecord = {
      server: config.id,
      serverFingerprint: serverFingerprint(config),
      tool: tool.name,
      toolFingerprint: toolFingerprint(tool),
      override: { level, ...(openWorld === undefined ? {} : { openWorld }) },
      origin,
      createdAt: (this.#options.now ?? Date.now)(),
    };
    const id = idOf(config, tool.name);
    try {
      await store.put(id, record);
    } finally {
      // It also counts if only the other windows could not be told.
      if (store.get(id) === record) {
        this.#options.onAct?.('overrideSet', record);
        if (scope === 'always') await this.#stores.get('workspace')?.remove(id);
      }
    }
  }

  /** Withdraws the overrides of the tool, here and for all workspaces. @throws {StorageError} */
  async takeBack(config: ServerConfig, toolName: string): Promise<void> {
    const id = idOf(config, toolName);
    const ids = [...this.#stores.keys()].map((scope) => `${scope}-${id}`);
    const removals = this.#all.map((store) => store.remove(id));
    await this.#recording(ids, settleAll(removals));
  }

  /** Returns every override of this workspace and for all, newest first. Never rejects. */
  async all(): Promise<readonly OverrideState[]> {
    await this.refresh();
    const servers = this.#options.servers();
    return latestFirst(this.#read(), ({ record }) => record.createdAt).map((state) =>
      withSuspension(state, standing(state.record, servers)),
    );
  }

  /** Withdraws an override by the id in {@link all}. Idempotent. @throws {StorageError} */
  async withdraw(id: string): Promise<void> {
    for (const [scope, store] of this.#stores) {
      if (!id.startsWith(`${scope}-`)) continue;
      await this.#recording([id], store.remove(id.slice(scope.length + 1)));
    }
  }

  /** Includes unreadable ones. @throws {StorageError} after trying all */
  async withdrawAll(): Promise<void> {
    const ids = this.#read().map(({ id }) => id);
    const removals = this.#all.map((store) => store.removeAll());
    await this.#recording(ids, settleAll(removals));
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    for (const store of this.#all) store.dispose();
    this.#onDidChange.dispose();
  }

  /** Reports those of `ids` that are gone, even if not everything could be done. */
  async #recording(ids: readonly string[], withdrawal: Promise<void>): Promise<void> {
    const before = this.#read().filter(({ id }) => ids.includes(id));
    try {
      await withdrawal;
    } finally {
      const left = new Set(this.#read().map(({ id }) => id));
      for (const { id, record } of before) {
        if (!left.has(id)) this.#options.onAct?.('overrideWithdrawn', record);
      }
    }
  }

  #speakingOf({ id }: ServerConfig, toolName: string): readonly OverrideState[] {
    return this.#known.get(id)?.get(toolName) ?? [];
  }

  #read(): readonly OverrideState[] {
    return [...this.#stores].flatMap(([scope, store]) =>
      store.entries().map(([key, record]) => ({ id: `${scope}-${key}`, scope, record })),
    );
  }

  #takeOver(): void {
    this.#known = new Map();
    for (const state of this.#read()) {
      const { server, tool } = state.record;
      const ofServer = this.#known.get(server) ?? new Map<string, OverrideState[]>();
      this.#known.set(server, ofServer);
      ofServer.set(tool, [...(ofServer.get(tool) ?? []), state]);
    }
    this.#onDidChange.fire();
  }
}

/** The id is the same for the same tool of the same server, whatever changed about them. */
function idOf(config: ServerConfig, toolName: string): string {
  return fingerprint([serverKey(config), toolName]).slice(0, idChars);
}

function suspensionOf(
  record: OverrideRecord,
  config: ServerConfig,
  tool: Tool,
): OverrideState['suspended'] {
  if (record.serverFingerprint !== serverFingerprint(config)) return 'serverChanged';
  const now = toolFingerprint(tool);
  return record.toolFingerprint === now && isDistinctFingerprint(now) ? undefined : 'toolChanged';
}

function standing(record: OverrideRecord, servers: readonly Server[]): OverrideState['suspended'] {
  const server = servers.find(({ config }) => config.id === record.server);
  if (server === undefined) return undefined;
  if (record.serverFingerprint !== serverFingerprint(server.config)) return 'serverChanged';
  const entry = server.tools.find(({ tool }) => tool.callable && tool.name === record.tool);
  return entry && suspensionOf(record, server.config, entry.tool);
}

function withSuspension(
  state: OverrideState,
  suspended: OverrideState['suspended'],
): OverrideState {
  return suspended === undefined ? state : { ...state, suspended };
}

function isSuspended({ suspended }: OverrideState): boolean {
  return suspended !== undefined;
}

/** The scope of an override. */
export type OverrideScope = Exclude<GrantDuration, 'session'>;

/** A stored override, bound to what the user saw. */
export const parseOverride = shape({
  /** Id of the server in the configuration. */
  server: string,
  serverFingerprint: parseFingerprint,
  /** Name of the tool. */
  tool: string,
  toolFingerprint: parseFingerprint,
  override: shape({ level: oneOf(...riskLevels), openWorld: optional(flag) }),
  /** The origin of the user's change. */
  origin: oneOf(...callOrigins),
  /** Milliseconds since the epoch. */
  createdAt: number,
});
export type OverrideRecord = Parsed<typeof parseOverride>;
