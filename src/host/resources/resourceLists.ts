import { CancellationTokenSource, Emitter, type Disposable } from 'vscode-jsonrpc/node';
import type { McpClient } from '../../core/client';
import { McpError, toMcpError } from '../../core/errors';
import type { ListProblem, Resource, ResourceTemplate } from '../../core/types';
import { isSameJson } from '../../core/json/sameJson';
import type { RegistryChange, Server } from '../connections/snapshot';

/** The part of a client that resources need. */
export type ResourceConnection = Pick<McpClient, 'capabilities' | 'resources' | 'readResource'>;

/** The part of the registry that is used here. */
export interface ResourceServers {
  readonly servers: readonly Server[];
  readonly onDidChange: (listener: (change: RegistryChange) => void) => Disposable;
  /** @throws {McpError} unknownServer | notRunning */
  readonly client: (id: string) => ResourceConnection;
}

/** Returns the client of a running server. */
export function runningClient(
  servers: ResourceServers,
  id: string,
): ResourceConnection | undefined {
  try {
    return servers.client(id);
  } catch {
    // The server is stopped or no longer configured.
    return undefined;
  }
}

/** Immutable snapshot of the resources of one server. A change makes a new one. */
export interface ServerResources {
  /** `unknown` until they are needed. */
  readonly state: 'unknown' | 'listing' | 'listed';
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly problems: readonly ListProblem[];
  /** Why the resources could not be listed. */
  readonly error?: McpError;
}

/** Announcements within this time lead to one listing. */
const quietMs = 300;

/** For a server whose resources were not listed. */
export const unknownResources: ServerResources = {
  state: 'unknown',
  resources: [],
  templates: [],
  problems: [],
};

/**
 * The resources and templates of running servers. They are listed when they are first needed and
 * kept until the server announces a change or the run ends.
 */
export class ResourceLists implements Disposable {
  readonly #servers: ResourceServers;
  readonly #runs = new Map<string, Run>();
  readonly #subscription: Disposable;

  readonly #onDidChange = new Emitter<string>();
  /** Fires with the id of a server whose resources changed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(servers: ResourceServers) {
    this.#servers = servers;
    this.#subscription = servers.onDidChange(() => this.#follow());
    this.#follow();
  }

  /** Returns true if the server runs and declares resources. */
  has(serverId: string): boolean {
    return this.#runs.has(serverId);
  }

  /** Returns the same object while nothing changes. */
  of(serverId: string): ServerResources {
    return this.#runs.get(serverId)?.shown ?? unknownResources;
  }

  /** Lists the resources unless that was done. The change is announced. */
  want(serverId: string): void {
    const run = this.#runs.get(serverId);
    if (run?.shown.state === 'unknown') void run.list(false);
  }

  /**
   * Lists the resources unless that was done, and waits. Never rejects; `of` contains the error.
   */
  async ensure(serverId: string): Promise<void> {
    const run = this.#runs.get(serverId);
    if (run !== undefined && run.shown.state !== 'listed') await run.list(false);
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

  /** Keeps one `Run` for each run of a server with resources. */
  #follow(): void {
    const clients = new Map(
      this.#servers.servers.flatMap(({ config, state }) => {
        const client =
          state.kind === 'running' ? runningClient(this.#servers, config.id) : undefined;
        return client?.capabilities.resources === true ? [[config.id, client] as const] : [];
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
      this.#runs.set(id, new Run(client, () => this.#onDidChange.fire(id)));
      this.#onDidChange.fire(id);
    }
  }
}

/** The lists of one run of one server. */
class Run {
  readonly client: ResourceConnection;
  readonly #changed: () => void;
  readonly #cancellation = new CancellationTokenSource();
  readonly #subscription: Disposable;
  #underWay: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  shown = unknownResources;

  constructor(client: ResourceConnection, changed: () => void) {
    this.client = client;
    this.#changed = changed;
    this.#subscription = client.resources.onDidChange(() => this.#announced());
  }

  /** Joins a listing in progress. Never rejects; `shown` contains the error. */
  list(isRefresh: boolean): Promise<void> {
    this.#underWay ??= this.#list(isRefresh).finally(() => (this.#underWay = undefined));
    return this.#underWay;
  }

  /** A listing in progress may be from before the change. */
  async refresh(): Promise<void> {
    await this.#underWay;
    await this.list(true);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
    this.#cancellation.cancel();
  }

  /** Lists that were never needed are not listed again. */
  #announced(): void {
    if (this.shown.state === 'unknown') return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // A listing in progress may be from before the change.
      void Promise.resolve(this.#underWay).then(() => this.list(false));
    }, quietMs);
  }

  async #list(isRefresh: boolean): Promise<void> {
    const { token } = this.#cancellation;
    if (this.shown.state === 'unknown') this.#show({ ...this.shown, state: 'listing' });
    const options = { token, isRefresh };
    const { resources } = this.client;
    try {
      const [list, templates] = await Promise.all([
        resources.list(options),
        resources.listTemplates(options),
      ]);
      this.#show({
        state: 'listed',
        resources: list.resources,
        templates: templates.templates,
        problems: [...list.problems, ...templates.problems],
      });
    } catch (thrown) {
      const { resources: known, templates, problems } = this.shown;
      this.#show({
        state: 'listed',
        resources: known,
        templates,
        problems,
        error: toMcpError(thrown),
      });
    }
  }

  #show(now: ServerResources): void {
    if (this.#cancellation.token.isCancellationRequested || isSame(now, this.shown)) return;
    this.shown = now;
    this.#changed();
  }
}

function isSame(one: ServerResources, other: ServerResources): boolean {
  if (one.error?.message !== other.error?.message || one.state !== other.state) return false;
  return (
    isSameJson(one.resources, other.resources) &&
    isSameJson(one.templates, other.templates) &&
    isSameJson(one.problems, other.problems)
  );
}
