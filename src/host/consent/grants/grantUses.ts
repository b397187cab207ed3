import { RecordStore, type StorageProblem } from '../../storage/recordStore';
import type { Grant } from './grant';
import { parseGrantUse, type GrantUse } from './grantRecord';

/** People look at the date; the minute is more than they need. */
const writeEveryMs = 60_000;

/**
 * When grants were used the last time, to the minute. Kept apart from the grants, so that noting
 * the use of one can never bring it back after another window has withdrawn it.
 */
export class GrantUses {
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
