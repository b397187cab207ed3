import { CancellationTokenSource, Emitter, type Disposable } from 'vscode-jsonrpc/node';
import { toMcpError, type McpError } from '../../core/errors';
import type { ReadResourceResult } from '../../core/types';
import { runningClient, type ResourceConnection, type ListServers } from './serverLists';

/** A resource that is open. */
export interface OpenResource {
  readonly serverId: string;
  readonly uri: string;
}

/** A resource that is open now. */
export interface ShownResource extends OpenResource {
  /**
   * True if changes may have been missed since it was read. It is read again once its server runs.
   */
  readonly isOld?: boolean;
}

/** The state of the shown content compared with the current one. */
export type ResourceFreshness =
  /** The server announces changes, and the resource is read again then. */
  | { readonly kind: 'live' }
  /** The server runs, but does not announce changes. */
  | { readonly kind: 'still' }
  /** The run has ended; this is its last content. */
  | { readonly kind: 'gone' }
  /** It changed and could not be read again. */
  | { readonly kind: 'failed'; readonly error: McpError };

/** The result of reading again. */
export interface ReloadedResource extends OpenResource {
  readonly read: ReadResourceResult;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
}

export interface LiveResourcesOptions {
  readonly servers: ListServers;
  readonly onRead: (read: ReloadedResource) => void;
}

/** Minimum interval between reads for a server that announces changes all the time. */
const pauseMs = 500;

/**
 * The open resources. Their servers are asked to announce changes, and changed resources are read
 * again. After a restart all are subscribed to and read again.
 */
export class LiveResources implements Disposable {
  readonly #options: LiveResourcesOptions;
  readonly #servers = new Map<string, LiveServer>();
  readonly #subscription: Disposable;

  readonly #onDidChange = new Emitter<void>();
  /** Fires when {@link initialTaskState} changed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: LiveResourcesOptions) {
    this.#options = options;
    this.#subscription = options.servers.onDidChange(() => this.#follow());
  }

  /** Sets the open resources. */
  setOpen(resources: readonly ShownResource[]): void {
    const byServer = new Map<string, ShownResource[]>();
    for (const resource of resources) {
      const { serverId } = resource;
      byServer.set(serverId, [...(byServer.get(serverId) ?? []), resource]);
    }
    for (const [id, server] of this.#servers) {
      if (byServer.has(id)) continue;
      server.setOpen([]);
      server.dispose();
      this.#servers.delete(id);
    }
    for (const [id, shown] of byServer) this.#serverOf(id).setOpen(shown);
  }

  /** Call it when a resource was read by other means, so that an earlier failure is over. */
  wasRead({ serverId, uri }: OpenResource): void {
    this.#servers.get(serverId)?.wasRead(uri);
  }

  stateOf({ serverId, uri }: OpenResource): ResourceFreshness {
    return this.#servers.get(serverId)?.stateOf(uri) ?? { kind: 'still' };
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const server of this.#servers.values()) server.dispose();
    this.#servers.clear();
    this.#onDidChange.dispose();
  }

  #serverOf(id: string): LiveServer {
    let server = this.#servers.get(id);
    if (server === undefined) {
      server = new LiveServer({
        read: (read) => this.#options.onRead({ serverId: id, ...read }),
        changed: () => this.#onDidChange.fire(),
      });
      this.#servers.set(id, server);
      server.connect(this.#clientOf(id));
    }
    return server;
  }

  #follow(): void {
    for (const [id, server] of this.#servers) server.connect(this.#clientOf(id));
  }

  #clientOf(id: string): ResourceConnection | undefined {
    return runningClient(this.#options.servers, id);
  }
}

interface LiveServerHooks {
  readonly read: (read: Omit<ReloadedResource, 'serverId'>) => void;
  readonly changed: () => void;
}

/** The open resources of one server, over its runs. */
class LiveServer {
  readonly #hooks: LiveServerHooks;
  #client: ResourceConnection | undefined;
  #subscriptions: readonly Disposable[] = [];
  #cancellation = new CancellationTokenSource();
  #open: ReadonlySet<string> = new Set();
  /** Resources to read once there is a client. */
  readonly #old = new Set<string>();
  readonly #errors = new Map<string, McpError>();
  /**
   * Resources that are being read or about to be; `true` if they have to be read once more
   * afterwards.
   */
  readonly #reading = new Map<string, boolean>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #hadClient = false;

  constructor(hooks: LiveServerHooks) {
    this.#hooks = hooks;
  }

  setOpen(resources: readonly ShownResource[]): void {
    const uris = new Set(resources.map(({ uri }) => uri));
    this.#open = uris;
    for (const uri of this.#errors.keys()) if (!uris.has(uri)) this.#errors.delete(uri);
    for (const uri of this.#old) if (!uris.has(uri)) this.#old.delete(uri);
    for (const { uri, isOld } of resources) if (isOld === true) this.#old.add(uri);
    this.#client?.resources.watch(uris);
    this.#readOld();
  }

  wasRead(uri: string): void {
    this.#setError(uri, undefined);
  }

  stateOf(uri: string): ResourceFreshness {
    if (this.#client === undefined) return { kind: 'gone' };
    const error = this.#errors.get(uri);
    if (error !== undefined) return { kind: 'failed', error };
    return this.#client.resources.watched.has(uri) ? { kind: 'live' } : { kind: 'still' };
  }

  connect(client: ResourceConnection | undefined): void {
    if (client === this.#client) return;
    this.#leave();
    this.#client = client;
    if (client !== undefined) {
      const { resources } = client;
      this.#subscriptions = [
        resources.onDidChangeWatched(() => this.#hooks.changed()),
        resources.onDidUpdate((uri) => this.#updated(uri)),
      ];
      resources.watch(this.#open);
      // The shown content comes from an earlier run.
      if (this.#hadClient) for (const uri of this.#open) this.#old.add(uri);
      this.#readOld();
    }
    this.#hadClient = true;
    this.#hooks.changed();
  }

  dispose(): void {
    this.#leave();
    this.#client = undefined;
  }

  #leave(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#subscriptions = [];
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#reading.clear();
    this.#errors.clear();
    this.#cancellation.cancel();
    this.#cancellation = new CancellationTokenSource();
  }

  #updated(updated: string): void {
    for (const uri of this.#open) if (isPartOf(updated, uri)) this.#readSoon(uri);
  }

  #readOld(): void {
    if (this.#client === undefined) return;
    const old = [...this.#old];
    this.#old.clear();
    for (const uri of old) this.#readSoon(uri);
  }

  #readSoon(uri: string): void {
    if (this.#reading.has(uri)) this.#reading.set(uri, true);
    else void this.#read(uri);
  }

  async #read(uri: string): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    const { token } = this.#cancellation;
    this.#reading.set(uri, false);
    const startedAt = Date.now();
    let read: ReadResourceResult | undefined;
    let error: McpError | undefined;
    try {
      read = await client.readResource(uri, { token, isRefresh: true, hasListedUi: true });
    } catch (thrown) {
      error = toMcpError(thrown);
    }
    if (token.isCancellationRequested) return;
    if (this.#open.has(uri)) {
      this.#setError(uri, error);
      const durationMs = Date.now() - startedAt;
      if (read !== undefined) this.#hooks.read({ uri, read, startedAt, durationMs });
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      const isAgain = this.#reading.get(uri) === true && this.#open.has(uri);
      this.#reading.delete(uri);
      if (isAgain) this.#readSoon(uri);
    }, pauseMs);
    this.#timers.add(timer);
  }

  #setError(uri: string, error: McpError | undefined): void {
    const before = this.#errors.get(uri);
    if (error === undefined) this.#errors.delete(uri);
    else this.#errors.set(uri, error);
    if (before !== error) this.#hooks.changed();
  }
}

/** Servers may announce a part of the subscribed resource. */
function isPartOf(updated: string, uri: string): boolean {
  if (updated === uri) return true;
  if (!updated.startsWith(uri)) return false;
  return uri.endsWith('/') || ['/', '?', '#'].includes(updated.charAt(uri.length));
}
