import { randomUUID } from 'node:crypto';

/** The user's actions while a sign-in is waiting. */
export interface SignInSteps {
  readonly copyLink?: () => Promise<void>;
  readonly pasteAddress?: () => Promise<void>;
  readonly copyCode?: () => Promise<void>;
  readonly takeOver?: () => void;
  readonly cancel: () => void;
}

/**
 * The sign-ins that wait for the user. Links of their notifications name them by unguessable ids,
 * because a command does not know its caller.
 */
export class OpenSignIns {
  readonly #open = new Map<string, { readonly serverId: string; readonly steps: SignInSteps }>();

  /** Returns the id for links, and a function that removes it. */
  add(serverId: string, steps: SignInSteps): { readonly id: string; dispose(): void } {
    const id = randomUUID();
    this.#open.set(id, { serverId, steps });
    return { id, dispose: () => void this.#open.delete(id) };
  }

  find(id: unknown): SignInSteps | undefined {
    return typeof id === 'string' ? this.#open.get(id)?.steps : undefined;
  }

  /** Cancels all sign-ins of a server. Returns false if there are none. */
  cancel(serverId: string): boolean {
    const own = [...this.#open.values()].filter((each) => each.serverId === serverId);
    for (const { steps } of own) steps.cancel();
    return own.length > 0;
  }
}
