import type { Draft } from './fieldDrafts';

/** What a person entered for a tool, as far as it went. */
export type Remembered =
  | { readonly kind: 'drafts'; readonly drafts: ReadonlyMap<string, Draft> }
  | { readonly kind: 'text'; readonly text: string };

/** Whoever comes back to a tool after so many others begins anew. */
const maxTools = 200;

/**
 * The last arguments entered for each tool, to offer them the next time; in memory only, because
 * they may hold secrets.
 */
export class ArgumentMemory {
  readonly #remembered = new Map<string, Remembered>();

  get(serverId: string, toolName: string): Remembered | undefined {
    return this.#remembered.get(keyOf(serverId, toolName));
  }

  set(serverId: string, toolName: string, remembered: Remembered): void {
    const key = keyOf(serverId, toolName);
    this.#remembered.delete(key);
    this.#remembered.set(key, remembered);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maxTools && oldest !== undefined) this.#remembered.delete(oldest);
  }
}

function keyOf(serverId: string, toolName: string): string {
  return JSON.stringify([serverId, toolName]);
}
