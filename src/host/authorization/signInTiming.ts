import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type CancellationToken, CancellationTokenSource } from 'vscode-jsonrpc/node';
import { readRegularFile } from '../../core/bounds/regularFile';
import { McpError } from '../../core/errors';
import { raceCancellation } from '../../core/rpc/cancellation';

/** How often a window says that it is still at it, and looks whether another one took over. */
const beatMs = 1_000;
/** A window that has not said so for this long is gone. */
const staleMs = 8_000;
/** A UUID. */
const maxOwnerBytes = 1024;

/** The place where a person signs in, one at a time over all windows. */
export interface SignInPlace {
  readonly issuer: string;
  readonly resource: string;
}

/** Held while this window signs in. */
export interface SignInTurn {
  /** Cancelled when another window takes over. */
  readonly lost: CancellationToken;
  dispose(): void;
}

/** Which window signs in: two at once would take each other's answers, or ask the person twice. */
export class SignInTurns {
  readonly #folder: string;

  /** `folder`: shared by all windows; is made when it is needed. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The turn; `undefined` while another window has it, unless it is taken `over`. */
  async take(place: SignInPlace, over = false): Promise<SignInTurn | undefined> {
    const file = this.#file(place);
    await mkdir(this.#folder, { recursive: true });
    if (!over && !(await isStale(file))) return undefined;
    const owner = randomUUID();
    try {
      if (over || (await isThere(file))) await rm(file, { force: true });
      await writeFile(file, owner, { flag: 'wx' });
    } catch {
      // Another window was quicker.
      return undefined;
    }
    return new HeldTurn(file, owner);
  }

  /** Resolves when no window has the turn. @throws {McpError} cancelled */
  async free(place: SignInPlace, token: CancellationToken): Promise<void> {
    const file = this.#file(place);
    while (!(await isStale(file))) {
      await raceCancellation(delay(beatMs), token);
      if (token.isCancellationRequested) throw new McpError('cancelled');
    }
  }

  #file({ issuer, resource }: SignInPlace): string {
    const hash = createHash('sha256')
      .update(JSON.stringify([issuer, resource]))
      .digest('hex');
    return path.join(this.#folder, `${hash}.turn`);
  }
}

class HeldTurn implements SignInTurn {
  readonly #file: string;
  readonly #owner: string;
  readonly #source = new CancellationTokenSource();
  readonly #timer: NodeJS.Timeout;

  constructor(file: string, owner: string) {
    this.#file = file;
    this.#owner = owner;
    this.#timer = setInterval(() => void this.#beat(), beatMs).unref();
  }

  get lost(): CancellationToken {
    return this.#source.token;
  }

  dispose(): void {
    clearInterval(this.#timer);
    void this.#leave();
  }

  async #isOurs(): Promise<boolean> {
    const bytes = await readRegularFile(this.#file, maxOwnerBytes).catch(() => undefined);
    return bytes?.toString('utf8') === this.#owner;
  }

  async #beat(): Promise<void> {
    if (await this.#isOurs()) {
      const now = new Date();
      await utimes(this.#file, now, now).catch(() => undefined);
    } else {
      clearInterval(this.#timer);
      this.#source.cancel();
    }
  }

  async #leave(): Promise<void> {
    if (await this.#isOurs()) await rm(this.#file, { force: true }).catch(() => undefined);
  }
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

async function isStale(file: string): Promise<boolean> {
  return stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > staleMs,
    () => true,
  );
}

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
