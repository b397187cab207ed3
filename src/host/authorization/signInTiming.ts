import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CancellationToken,
  CancellationTokenSource,
  Emitter,
  type Disposable,
} from 'vscode-jsonrpc/node';
import { readRegularFile } from '../../core/bounds/regularFile';
import { McpError } from '../../core/errors';
import { raceCancellation } from '../../core/rpc/cancellation';
import type { TokenGrant } from '../../core/auth/ports';
import { isSameJson } from '../../core/json/shapes';

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

/** The state of the sign-in at one server. It contains no secrets. */
export type SignInState =
  /** The server requires a sign-in, and the user could not be asked, or declined. */
  | { readonly kind: 'needed' }
  /** The user is being asked, or is in the browser. */
  | { readonly kind: 'signingIn' }
  | { readonly kind: 'signedIn'; readonly account: SignedInAccount }
  /** The user signed out. The question does not appear again automatically. */
  | { readonly kind: 'signedOut' }
  /** Signed in, but the last request needed more scopes. */
  | {
      readonly kind: 'moreRights';
      readonly account: SignedInAccount;
      /** Missing scopes; untrusted, and empty if the server does not name them. */
      readonly scopes: readonly string[];
    };

/** Texts come from servers and are untrusted. */
export interface SignedInAccount {
  readonly label: string;
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  /** True if it is renewed without the user. */
  readonly isRenewed: boolean;
  /** Set if the token is of use only with a key (RFC 9449). */
  readonly isBound?: true;
}

/** Returns the parts of a grant that may be shown. */
export function shownAccount(grant: TokenGrant): SignedInAccount {
  return {
    label: grant.accountLabel,
    issuer: grant.issuer,
    resource: grant.resource,
    scopes: grant.grantedScopes ?? grant.askedScopes,
    ...(grant.expiresAt === undefined ? {} : { expiresAt: grant.expiresAt }),
    isRenewed: grant.refreshToken !== undefined,
    ...(grant.proofKey === undefined ? {} : { isBound: true }),
  };
}

/** The state of the sign-in at each server, as far as this window knows. */
export class SignInStates implements Disposable {
  readonly #states = new Map<string, SignInState>();

  readonly #onDidChange = new Emitter<string>();
  /** Fires with the id of the server. */
  readonly onDidChange = this.#onDidChange.event;

  /** Returns `undefined` if no sign-in was needed so far. */
  of(serverId: string): SignInState | undefined {
    return this.#states.get(serverId);
  }

  set(serverId: string, state: SignInState): void {
    if (isSameJson(this.#states.get(serverId), state)) return;
    this.#states.set(serverId, state);
    this.#onDidChange.fire(serverId);
  }

  forget(serverId: string): void {
    if (this.#states.delete(serverId)) this.#onDidChange.fire(serverId);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }
}
