import { CancellationTokenSource, Emitter, type Disposable, type Event } from 'vscode-jsonrpc/node';
import type { ListOptions, McpClient } from '../../core/client';
import { McpError, toMcpError } from '../../core/errors';
import type { Skill } from '../../core/skills/skill';
import type { ServerPrompt } from '../../core/parse/promptsAndResources';
import type { ListProblem, Resource, ResourceTemplate, ServerCapabilities } from '../../core/types';
import { isSameJson, isObject } from '../../core/json/shapes';
import { ListingSchedule } from '../connections/listingSchedule';
import { alwaysChanging, type RegistryChange, type Server } from '../connections/snapshot';
import type { Memento } from '../storage/memento';
import { dropOldest } from '../../core/bounds/shortLivedMap';
import { isDocumentName } from '../../core/content/documentNames';

/** The part of a client that resources need. */
export type ResourceConnection = Pick<McpClient, 'capabilities' | 'resources' | 'readResource'>;

/** The part of the registry that is used here. */
export interface ListServers<Client = ResourceConnection> {
  readonly servers: readonly Server[];
  readonly onDidChange: (listener: (change: RegistryChange) => void) => Disposable;
  /** @throws {McpError} unknownServer | notRunning */
  readonly client: (id: string) => Client;
}

/** Returns the client of a running server. */
export function runningClient<Client>(
  servers: Pick<ListServers<Client>, 'client'>,
  id: string,
): Client | undefined {
  try {
    return servers.client(id);
  } catch {
    // The server is stopped or no longer configured.
    return undefined;
  }
}

/** Immutable snapshot of one kind of list of one server. A change makes a new one. */
export interface Listing<Entry> {
  /** `unknown` until the list is needed. */
  readonly state: 'unknown' | 'listing' | 'listed';
  /** In the order in which they are shown. */
  readonly entries: readonly Entry[];
  readonly problems: readonly ListProblem[];
  /** Why the list could not be read. */
  readonly error?: McpError;
}

/** How entries of one kind are listed. */
export interface ListedKind<Entry, Client> {
  readonly isDeclared: (capabilities: ServerCapabilities) => boolean;
  readonly onDidChange: (client: Client) => Event<void>;
  readonly list: (
    client: Client,
    options: ListOptions,
  ) => Promise<Pick<Listing<Entry>, 'entries' | 'problems'>>;
}

export type ResourceEntry = Resource | ResourceTemplate;

/** Templates come first. */
export const resourceKind: ListedKind<ResourceEntry, ResourceConnection> = {
  isDeclared: ({ resources }) => resources,
  onDidChange: ({ resources }) => resources.onDidChange,
  list: async ({ resources }, options) => {
    const [list, templates] = await Promise.all([
      resources.list(options),
      resources.listTemplates(options),
    ]);
    return {
      entries: [...templates.templates, ...list.resources],
      problems: [...list.problems, ...templates.problems],
    };
  },
};

/** The part of a client that lists of prompts need. */
export type PromptConnection = Pick<
  McpClient,
  'capabilities' | 'listPrompts' | 'onDidChangePrompts'
>;

export const promptKind: ListedKind<ServerPrompt, PromptConnection> = {
  isDeclared: ({ prompts }) => prompts,
  onDidChange: ({ onDidChangePrompts }) => onDidChangePrompts,
  list: async (client, options) => {
    const { prompts, problems } = await client.listPrompts(options);
    return { entries: prompts, problems };
  },
};

/** The part of a client that lists of skills need. */
export type SkillConnection = Pick<McpClient, 'capabilities' | 'listSkills' | 'resources'>;

/** Servers report a change of skills as one of resources. */
export const skillKind: ListedKind<Skill, SkillConnection> = {
  isDeclared: ({ skills }) => skills,
  onDidChange: ({ resources }) => resources.onDidChange,
  list: async (client, options) => {
    const { skills, problems } = await client.listSkills(options);
    return { entries: skills, problems };
  },
};

export type ResourceLists = ServerLists<ResourceEntry, ResourceConnection>;
export type PromptLists = ServerLists<ServerPrompt, PromptConnection>;
export type SkillLists = ServerLists<Skill, SkillConnection>;

/** For a server that was not asked for the list. */
export const unknownListing: Listing<never> = { state: 'unknown', entries: [], problems: [] };

/**
 * The entries of one kind that running servers list. They are listed when they are first needed and
 * kept until the server announces a change or the run ends.
 */
export class ServerLists<
  Entry,
  Client extends Pick<McpClient, 'capabilities'>,
> implements Disposable {
  readonly #servers: ListServers<Client>;
  readonly #kind: ListedKind<Entry, Client>;
  readonly #runs = new Map<string, Run<Entry, Client>>();
  readonly #subscription: Disposable;

  readonly #onDidChange = new Emitter<string>();
  /** Fires with the id of a server whose list changed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(servers: ListServers<Client>, kind: ListedKind<Entry, Client>) {
    this.#servers = servers;
    this.#kind = kind;
    this.#subscription = servers.onDidChange(() => this.#follow());
    this.#follow();
  }

  /** Returns true if the server runs and declares that it has such entries. */
  has(serverId: string): boolean {
    return this.#runs.has(serverId);
  }

  /** Returns the same object while nothing changes. */
  of(serverId: string): Listing<Entry> {
    return this.#runs.get(serverId)?.shown ?? unknownListing;
  }

  /**
   * Lists the entries unless that was done, even in vain: rows want them whenever they are shown,
   * and show the error. The change is announced.
   */
  want(serverId: string): void {
    const run = this.#runs.get(serverId);
    if (run?.shown.state === 'unknown') void run.list(false);
  }

  /**
   * Lists the entries unless that was done, and waits. A listing that failed is tried again. Never
   * rejects; `of` contains the error.
   */
  async ensure(serverId: string): Promise<void> {
    const run = this.#runs.get(serverId);
    if (run === undefined) return;
    if (run.shown.state !== 'listed' || run.shown.error !== undefined) await run.list(false);
  }

  /** Lists again because the server said that the list is no longer valid. */
  renew(serverId: string): void {
    void this.#runs.get(serverId)?.list(false);
  }

  /** Lists again now. @throws {McpError} notRunning | any code of a request */
  async refresh(serverId: string): Promise<void> {
    const run = this.#runs.get(serverId);
    if (run === undefined) throw new McpError('notRunning');
    await run.refresh();
    if (run.shown.error !== undefined) throw run.shown.error;
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const run of this.#runs.values()) run.dispose();
    this.#runs.clear();
    this.#onDidChange.dispose();
  }

  /** Keeps one `Run` for each run of a server with such entries. */
  #follow(): void {
    const clients = new Map(
      this.#servers.servers.flatMap(({ config, state }) => {
        const client =
          state.kind === 'running' ? runningClient(this.#servers, config.id) : undefined;
        return client !== undefined && this.#kind.isDeclared(client.capabilities)
          ? [[config.id, client] as const]
          : [];
      }),
    );
    for (const [id, run] of this.#runs) {
      if (clients.get(id) === run.client) continue;
      run.dispose();
      this.#runs.delete(id);
      this.#onDidChange.fire(id);
    }
    for (const [id, client] of clients) {
      if (this.#runs.has(id)) continue;
      this.#runs.set(id, new Run(client, this.#kind, () => this.#onDidChange.fire(id)));
      this.#onDidChange.fire(id);
    }
  }
}

/** The list of one run of one server. */
class Run<Entry, Client> {
  readonly client: Client;
  readonly #kind: ListedKind<Entry, Client>;
  readonly #changed: () => void;
  readonly #cancellation = new CancellationTokenSource();
  readonly #subscription: Disposable;
  readonly #schedule = new ListingSchedule((isRefresh) => this.#list(isRefresh));
  shown: Listing<Entry> = unknownListing;

  constructor(client: Client, kind: ListedKind<Entry, Client>, changed: () => void) {
    this.client = client;
    this.#kind = kind;
    this.#changed = changed;
    this.#subscription = kind.onDidChange(client)(() => this.#announced());
  }

  /** Joins a listing in progress. Never rejects; `shown` contains the error. */
  list(isRefresh: boolean): Promise<void> {
    return this.#schedule.run(isRefresh);
  }

  /** A listing in progress may be from before the change. */
  async refresh(): Promise<void> {
    await this.#schedule.underWay;
    await this.list(true);
  }

  dispose(): void {
    this.#schedule.dispose();
    this.#subscription.dispose();
    this.#cancellation.cancel();
  }

  /** Lists that were never needed are not listed again. */
  #announced(): void {
    if (this.shown.state !== 'unknown') this.#schedule.announceChange();
  }

  async #list(isRefresh: boolean): Promise<void> {
    const { token } = this.#cancellation;
    if (this.shown.state === 'unknown') this.#show({ ...this.shown, state: 'listing' });
    try {
      const list = await this.#kind.list(this.client, { token, isRefresh });
      const { isAlwaysChanging } = this.#schedule;
      const problems = isAlwaysChanging ? [...list.problems, alwaysChanging] : list.problems;
      this.#show({ state: 'listed', entries: list.entries, problems });
    } catch (thrown) {
      const { entries, problems } = this.shown;
      this.#show({ state: 'listed', entries, problems, error: toMcpError(thrown) });
    }
  }

  #show(now: Listing<Entry>): void {
    if (this.#cancellation.token.isCancellationRequested || isSameListing(now, this.shown)) return;
    this.shown = now;
    this.#changed();
  }
}

function isSameListing<Entry>(one: Listing<Entry>, other: Listing<Entry>): boolean {
  if (one.error?.message !== other.error?.message || one.state !== other.state) return false;
  return isSameJson(one.entries, other.entries) && isSameJson(one.problems, other.problems);
}

/** A resource with open documents: enough to read it again at the same path. */
export interface RememberedResource {
  readonly serverId: string;
  readonly uri: string;
  /** The folder of its documents. */
  readonly path: string;
  /** File names of the documents. */
  readonly files: readonly string[];
}

const memoryKey = 'openResources';
/** The oldest are removed above this number. */
const maxResources = 100;
/** Maximum number of restored documents of one resource; the first ones are restored. */
const maxFiles = 50;
/** Longer addresses are not stored, because the editor loads this memory with each window. */
const maxUriChars = 8_000;
const maxNameChars = 500;

/**
 * The open resources of this workspace, so that their tabs are restored with the window. Their
 * content is not stored, and neither is an address that contains a secret.
 */
export class RememberedResources {
  readonly #memory: Memento;
  readonly #redact: (text: string) => string;
  /** Keyed by path, oldest first. */
  readonly #resources: Map<string, RememberedResource>;

  /** @param redact removes secrets from a text */
  constructor(memory: Memento, redact: (text: string) => string) {
    this.#memory = memory;
    this.#redact = redact;
    const stored = memory.get(memoryKey);
    const items: unknown[] = Array.isArray(stored) ? stored.slice(-maxResources) : [];
    const resources = items.filter(isRemembered);
    this.#resources = new Map(resources.map((resource) => [resource.path, resource]));
  }

  get all(): readonly RememberedResource[] {
    return [...this.#resources.values()];
  }

  at(path: string): RememberedResource | undefined {
    return this.#resources.get(path);
  }

  remember({ serverId, uri, path, files: all }: RememberedResource): void {
    const files = all.slice(0, maxFiles);
    const resource = { serverId, uri, path, files };
    if (!isRemembered(resource) || this.#redact(uri) !== uri) return;
    if (isSame(this.#resources.get(path), resource)) return;
    this.#resources.delete(path);
    this.#resources.set(path, resource);
    dropOldest(this.#resources, maxResources);
    this.#write();
  }

  forget(path: string): void {
    if (this.#resources.delete(path)) this.#write();
  }

  #write(): void {
    // Only the position of a tab is lost, which needs no message.
    this.#memory.update(memoryKey, this.all).then(undefined, () => undefined);
  }
}

function isSame(one: RememberedResource | undefined, other: RememberedResource): boolean {
  return (
    one?.serverId === other.serverId &&
    one.uri === other.uri &&
    one.files.join('\n') === other.files.join('\n')
  );
}

function isRemembered(value: unknown): value is RememberedResource {
  if (!isObject(value)) return false;
  const { serverId, uri, path, files } = value;
  return (
    typeof serverId === 'string' &&
    typeof uri === 'string' &&
    uri.length <= maxUriChars &&
    typeof path === 'string' &&
    /^\/[^/]+\/resources\/[^/]+$/.test(path) &&
    Array.isArray(files) &&
    files.length <= maxFiles &&
    files.every((name) => typeof name === 'string' && isFileName(name))
  );
}

function isFileName(name: string): boolean {
  return isDocumentName(name) && name.length <= maxNameChars && !name.includes('/');
}
