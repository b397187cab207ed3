import type { McpClient, ListOptions, RequestOptions, ResourceClient } from '../client';
import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import type { ResourceList, ResourceTemplateList } from '../types';

/**
 * A session without users stays open for this long: the cancellation of a task may still be sent.
 */
const idleMs = 5_000;

interface Joined {
  readonly client: Promise<McpClient>;
  /** Number of users. */
  users: number;
  idle?: NodeJS.Timeout;
}

/**
 * Sessions that other connections began, mostly of windows that are closed: servers bind tasks to
 * the session that created them. Each is open while it is in use, and is not ended at the server,
 * because tasks of other windows may depend on it.
 */
export class JoinedSessions {
  readonly #join: (sessionId: string) => Promise<McpClient>;
  readonly #joined = new Map<string, Joined>();

  constructor(join: (sessionId: string) => Promise<McpClient>) {
    this.#join = join;
  }

  async use<T>(sessionId: string, work: (client: McpClient) => Promise<T>): Promise<T> {
    const joined = this.#joined.get(sessionId) ?? { client: this.#join(sessionId), users: 0 };
    this.#joined.set(sessionId, joined);
    joined.users += 1;
    clearTimeout(joined.idle);
    try {
      return await work(await joined.client);
    } finally {
      joined.users -= 1;
      if (joined.users === 0) {
        joined.idle = setTimeout(() => void this.#leave(sessionId, joined), idleMs).unref();
      }
    }
  }

  async close(): Promise<void> {
    const all = [...this.#joined].map(([sessionId, joined]) => this.#leave(sessionId, joined));
    await Promise.all(all);
  }

  async #leave(sessionId: string, joined: Joined): Promise<void> {
    if (this.#joined.get(sessionId) === joined) this.#joined.delete(sessionId);
    clearTimeout(joined.idle);
    const client = await joined.client.catch(() => undefined);
    await client?.close();
  }
}

/** Sends a request that may be repeated in the current session or in the next one. */
type Send = <T>(
  send: (client: McpClient) => Promise<T>,
  options: RequestOptions | undefined,
) => Promise<T>;

/**
 * The resources of a server whose sessions may get lost: watched resources are subscribed again in
 * each new session.
 */
export class RenewedResources implements ResourceClient {
  readonly #send: Send;
  #client: ResourceClient;
  #wanted: ReadonlySet<string> = new Set();

  readonly #onDidChangeWatched = new Emitter<void>();
  readonly onDidChangeWatched = this.#onDidChangeWatched.event;
  readonly #onDidChange = new Emitter<void>();
  readonly onDidChange = this.#onDidChange.event;
  readonly #onDidUpdate = new Emitter<string>();
  readonly onDidUpdate = this.#onDidUpdate.event;

  constructor(client: ResourceClient, send: Send) {
    this.#client = client;
    this.#send = send;
  }

  get watched(): ReadonlySet<string> {
    return this.#client.watched;
  }

  list(options?: ListOptions): Promise<ResourceList> {
    return this.#send(({ resources }) => resources.list(options), options);
  }

  listTemplates(options?: ListOptions): Promise<ResourceTemplateList> {
    return this.#send(({ resources }) => resources.listTemplates(options), options);
  }

  watch(uris: ReadonlySet<string>): void {
    this.#wanted = new Set(uris);
    this.#client.watch(uris);
  }

  /** Listens to the current session from now on. */
  follow(client: ResourceClient): readonly Disposable[] {
    this.#client = client;
    return [
      client.onDidChangeWatched(() => this.#onDidChangeWatched.fire()),
      client.onDidChange(() => this.#onDidChange.fire()),
      client.onDidUpdate((uri) => this.#onDidUpdate.fire(uri)),
    ];
  }

  /**
   * A new session knows nothing of the previous one, and changes between them were not reported.
   */
  renewed(): void {
    if (this.#wanted.size > 0) this.#client.watch(this.#wanted);
    this.#onDidChange.fire();
    for (const uri of this.#wanted) this.#onDidUpdate.fire(uri);
  }
}
