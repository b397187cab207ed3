interface Occasion {
  readonly serverId: string;
  /** Absent: whatever is asked of the server meanwhile. */
  readonly operation?: string;
}

/**
 * When a person may be asked to sign in: only while something goes on that they have just asked for
 * themselves, or agreed to where an agent asked. A start with the window, a restart, a changed file, another extension and a batch of
 * calls are no such occasion, so none of them brings up a question or a browser.
 */
export class SignInOccasions {
  readonly #open = new Set<Occasion>();

  /** Opens one for the time of `work`, and settles as that does. */
  async during<T>(serverId: string, work: () => Promise<T>, operation?: string): Promise<T> {
    const occasion = { serverId, ...(operation === undefined ? {} : { operation }) };
    this.#open.add(occasion);
    try {
      return await work();
    } finally {
      this.#open.delete(occasion);
    }
  }

  /** `operation`: of a request that needs more rights; a call by the person covers its own only. */
  isOpen(serverId: string, operation?: string): boolean {
    return [...this.#open].some(
      (each) =>
        each.serverId === serverId &&
        (operation === undefined || each.operation === undefined || each.operation === operation),
    );
  }
}

/** How a refused call of a tool is named in `Refusal.operation`. */
export function callOperation(tool: string): string {
  return `tools/call ${tool}`;
}
