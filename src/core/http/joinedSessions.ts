import type { McpClient } from '../client';

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
