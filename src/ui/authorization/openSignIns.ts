import { randomUUID } from 'node:crypto';

/** What a person can do while a sign-in waits for them. */
export interface SignInSteps {
  readonly copyLink?: () => Promise<void>;
  readonly pasteAddress?: () => Promise<void>;
  readonly copyCode?: () => Promise<void>;
  readonly takeOver?: () => void;
  readonly cancel: () => void;
}

/**
 * The sign-ins that wait for the person. The links of their notifications name them by ids that
 * nobody can guess: a command of the editor carries no caller.
 */
export class OpenSignIns {
  readonly #open = new Map<string, { readonly serverId: string; readonly steps: SignInSteps }>();

  /** Returns the id for links, and what takes it back. */
  add(serverId: string, steps: SignInSteps): { readonly id: string; dispose(): void } {
    const id = randomUUID();
    this.#open.set(id, { serverId, steps });
    return { id, dispose: () => void this.#open.delete(id) };
  }

  find(id: unknown): SignInSteps | undefined {
    return typeof id === 'string' ? this.#open.get(id)?.steps : undefined;
  }

  /** Ends all of a server. False if there is none. */
  cancel(serverId: string): boolean {
    const own = [...this.#open.values()].filter((each) => each.serverId === serverId);
    for (const { steps } of own) steps.cancel();
    return own.length > 0;
  }
}
