import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type CancellationToken, CancellationTokenSource } from 'vscode-jsonrpc/node';
import { readRegularFile } from '../../core/bounds/regularFile';
import { McpError } from '../../core/errors';
import { raceCancellation } from '../../core/rpc/cancellation';

/** Interval at which a window refreshes its lock and checks whether another window took over. */
const beatMs = 1_000;
/** A lock that was not refreshed for this long is abandoned. */
const staleMs = 8_000;
/** Enough for a UUID. */
const maxOwnerBytes = 1024;

/** A sign-in location. Only one window signs in there at a time. */
export interface SignInScope {
  readonly issuer: string;
  readonly resource: string;
}

/** Held while this window signs in. */
export interface SignInLease {
  /** Cancelled when another window takes over. */
  readonly lost: CancellationToken;
  dispose(): void;
}

/**
 * Lets one window sign in at a time. Two at once would take each other's answers, or ask the user
 * twice.
 */
export class SignInLeases {
  readonly #folder: string;

  /** @param folder shared by all windows; created when needed */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Takes the turn; returns `undefined` while another window has it, unless `over` is true. */
  async take(place: SignInScope, over = false): Promise<SignInLease | undefined> {
    const file = this.#file(place);
    await mkdir(this.#folder, { recursive: true });
    if (!over && !(await isStale(file))) return undefined;
    const owner = randomUUID();
    try {
      if (over || (await isThere(file))) await rm(file, { force: true });
      await writeFile(file, owner, { flag: 'wx' });
    } catch {
      // Another window was faster.
      return undefined;
    }
    return new HeldTurn(file, owner);
  }

  /** Resolves when no window has the turn. @throws {McpError} cancelled */
  async free(place: SignInScope, token: CancellationToken): Promise<void> {
    const file = this.#file(place);
    while (!(await isStale(file))) {
      await raceCancellation(delay(beatMs), token);
      if (token.isCancellationRequested) throw new McpError('cancelled');
    }
  }

  #file({ issuer, resource }: SignInScope): string {
    const hash = createHash('sha256')
      .update(JSON.stringify([issuer, resource]))
      .digest('hex');
    return path.join(this.#folder, `${hash}.turn`);
  }
}

class HeldTurn implements SignInLease {
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
  /** Undefined if the user may be asked for any request to the server. */
  readonly operation?: string;
}

/**
 * Decides when the user may be asked to sign in: only while something runs that the user requested,
 * or agreed to when an agent requested it. Starts with the window, restarts, changed files, other
 * extensions and batches of calls never open a question or a browser.
 */
export class SignInOccasions {
  readonly #open = new Set<Occasion>();

  /** Opens an occasion while `work` runs, and settles like it. */
  async during<T>(serverId: string, work: () => Promise<T>, operation?: string): Promise<T> {
    const occasion = { serverId, ...(operation === undefined ? {} : { operation }) };
    this.#open.add(occasion);
    try {
      return await work();
    } finally {
      this.#open.delete(occasion);
    }
  }

  /** @param operation the request that needs more scopes; a call by the user covers only its own */
  isOpen(serverId: string, operation?: string): boolean {
    return [...this.#open].some(
      (each) =>
        each.serverId === serverId &&
        (operation === undefined || each.operation === undefined || each.operation === operation),
    );
  }
}

/** Returns the value of `Refusal.operation` for a call of this tool. */
export function callOperation(tool: string): string {
  return `tools/call ${tool}`;
}
