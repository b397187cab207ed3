import { type Disposable, Emitter } from 'vscode-jsonrpc/node';
import { isObject } from '../../core/json/shapes';
import { type ClaimedCapabilities, revisions, type Revision } from '../../core/types';
import { configHash } from './configurationHash';
import { type ServerConfig, serverKey } from './serverConfig';
import type { Memento } from '../storage/memento';

/** The differences from Toolgate in what a server is told about its client. */
export interface ClientProfile {
  readonly name?: string;
  /** Offered first, without detecting the server's revision. */
  readonly revision?: Revision;
  readonly claimed?: ClaimedCapabilities;
}

export const claimableCapabilities = ['elicitation', 'roots', 'tasks'] as const;

export const maxClientNameChars = 100;
const memoryKey = 'clientProfiles';
/** The oldest are removed above this number. */
const maxKept = 200;

interface Entry {
  readonly profile: ClientProfile;
  readonly isKept: boolean;
}

/**
 * The client that the user lets a server see. It applies to one entry at one place as it is now:
 * what another server, another place or a changed entry would start is another server.
 */
export class ClientProfiles implements Disposable {
  readonly #memory: Memento;
  readonly #entries: Map<string, Entry>;

  readonly #onDidChange = new Emitter<void>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(memory: Memento) {
    this.#memory = memory;
    this.#entries = new Map(parseKept(memory.get(memoryKey)));
  }

  of(config: ServerConfig): ClientProfile | undefined {
    return this.#entryOf(config)?.profile;
  }

  /** True if the profile of the server outlives the window. */
  isKept(config: ServerConfig): boolean {
    return this.#entryOf(config)?.isKept === true;
  }

  /**
   * Takes effect at the next start of the server. An empty profile removes it. Rejects if it cannot
   * be stored, and then lasts until the window closes.
   */
  async set(config: ServerConfig, profile: ClientProfile, isKept: boolean): Promise<void> {
    const key = keyOf(config);
    this.#entries.delete(key);
    if (Object.keys(profile).length > 0) this.#entries.set(key, { profile, isKept });
    this.#onDidChange.fire();
    const kept = [...this.#entries].filter(([, entry]) => entry.isKept).slice(-maxKept);
    const stored = kept.map(([each, entry]) => [each, entry.profile]);
    await this.#memory.update(memoryKey, stored);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #entryOf(config: ServerConfig): Entry | undefined {
    return this.#entries.size === 0 ? undefined : this.#entries.get(keyOf(config));
  }
}

function keyOf(config: ServerConfig): string {
  return JSON.stringify([serverKey(config), configHash(config)]);
}

function parseKept(stored: unknown): [string, Entry][] {
  const pairs: unknown[] = Array.isArray(stored) ? stored : [];
  return pairs.flatMap((pair): [string, Entry][] => {
    const [key, told]: unknown[] = Array.isArray(pair) ? pair : [];
    if (typeof key !== 'string' || !isObject(told)) return [];
    return [[key, { profile: parseProfile(told), isKept: true }]];
  });
}

function parseProfile({
  name,
  revision,
  claimed,
}: Readonly<Record<string, unknown>>): ClientProfile {
  const known = revisions.find((each) => each === revision);
  const claims = claimableCapabilities.flatMap((each) => {
    const isClaimed = isObject(claimed) ? claimed[each] : undefined;
    return typeof isClaimed === 'boolean' ? [[each, isClaimed] as const] : [];
  });
  return {
    ...(typeof name === 'string' && name !== '' ? { name: name.slice(0, maxClientNameChars) } : {}),
    ...(known === undefined ? {} : { revision: known }),
    ...(claims.length === 0 ? {} : { claimed: Object.fromEntries(claims) }),
  };
}
