import type { KnownEra } from '../../core/eras/eraDetection';
import { configHash } from '../configuration/configurationHash';
import type { ServerConfig } from '../configuration/serverConfig';

/** What outlives the window; a `Memento` of the editor is one. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const memoryKey = 'knownEras';
/** More servers than anybody has; the oldest are found out again. */
const maxKnown = 200;
const eras: readonly unknown[] = ['stateful', 'stateless', 'sse'] satisfies KnownEra[];

/**
 * What each server spoke the last time, so that the next start does not have to find it out
 * . Bound to how the server is configured: another program is another server.
 */
export class KnownEras {
  readonly #memory: Memory;
  readonly #eras: Map<string, KnownEra>;

  constructor(memory: Memory) {
    this.#memory = memory;
    this.#eras = new Map(parseEras(memory.get(memoryKey)));
  }

  of(config: ServerConfig): KnownEra | undefined {
    return this.#eras.get(configHash(config));
  }

  learn(config: ServerConfig, era: KnownEra): void {
    const hash = configHash(config);
    if (this.#eras.get(hash) === era) return;
    this.#eras.delete(hash);
    this.#eras.set(hash, era);
    for (const oldest of this.#eras.keys()) {
      if (this.#eras.size <= maxKnown) break;
      this.#eras.delete(oldest);
    }
    this.#memory.update(memoryKey, [...this.#eras]).then(undefined, () => {
      // It is found out again the next time; nobody has to hear of that.
    });
  }
}

/** Pairs of hash and era; whatever else was stored is forgotten. */
function parseEras(stored: unknown): [string, KnownEra][] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(
    (pair): pair is [string, KnownEra] =>
      Array.isArray(pair) && typeof pair[0] === 'string' && eras.includes(pair[1]),
  );
}
