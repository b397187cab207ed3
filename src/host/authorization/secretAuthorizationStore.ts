import type { Disposable } from 'vscode-jsonrpc/node';
import type { SecretValues, HeldSecrets } from '../secrets/secretValues';
import { ExclusiveLocks } from '../storage/exclusiveLocks';
import { GrantRecords, RegistrationRecords } from './grantRecords';
import { SecretRecords, type SharedSecretStore } from './secretRecords';
import { ServerAuthorizations } from './serverAuthorizations';
import {
  type GrantKey,
  type StoredAccount,
  revokeTokens,
  type RevokeGrant,
  type SignOutResult,
} from './storedAuthorizations';

export interface SecretAuthorizationStoreOptions {
  readonly secrets: SharedSecretStore;
  readonly values: Pick<SecretValues, 'hold'>;
  /**
   * The folder of lock files, which contain nothing about a sign-in. Without it, no other process
   * is excluded.
   */
  readonly lockFolder?: string;
  /** Key of the open workspace; undefined if none is open. */
  readonly workspace?: string;
  readonly onProblem: (problem: AuthorizationProblem) => void;
  /** Milliseconds until other windows see what was stored. */
  readonly settleMs?: number;
}

/**
 * A problem that is reported once while the window lives. `detail` is the system's message,
 * untrusted.
 */
export interface AuthorizationProblem {
  /**
   * `notStored`: sign-ins end with the window. `notExclusive`: two windows may renew at the same
   * time.
   */
  readonly code: 'notStored' | 'notExclusive';
  readonly detail: string;
}

/** VS Code passes stored secrets on after a tenth of a second. */
const defaultSettleMs = 1_000;
/** Owner of secrets that are read for no particular server. */
const noServer = '';

/**
 * The client registrations and the grants of accounts, in the editor's secret storage and nowhere
 * else, for all windows. Keys contain hashes. Every secret is registered with the redaction before
 * a caller gets it.
 */
export class SecretAuthorizationStore implements Disposable {
  readonly #options: SecretAuthorizationStoreOptions;
  readonly #records: SecretRecords;
  readonly #grants: GrantRecords;
  readonly #registrations: RegistrationRecords;
  readonly #locks: ExclusiveLocks;
  /** Keyed by `serverKey`. */
  readonly #learned = new Map<string, LearnedSecrets>();

  constructor(options: SecretAuthorizationStoreOptions) {
    this.#options = options;
    const { secrets, lockFolder, onProblem, settleMs = defaultSettleMs } = options;
    this.#records = new SecretRecords({
      secrets,
      onProblem: (detail) => onProblem({ code: 'notStored', detail }),
    });
    this.#grants = new GrantRecords(this.#records);
    this.#registrations = new RegistrationRecords(this.#records);
    this.#locks = new ExclusiveLocks({
      ...(lockFolder === undefined ? {} : { folder: lockFolder }),
      settleMs,
      onProblem: (detail) => onProblem({ code: 'notExclusive', detail }),
    });
  }

  /** Fires when this or another window stored, dropped or chose something. */
  get onDidChange() {
    return this.#records.onDidChange;
  }

  /**
   * Returns the authorizations of one server by its `serverKey`. Each server has its own account
   * and client id.
   */
  forServer(server: string): ServerAuthorizations {
    const { workspace } = this.#options;
    return new ServerAuthorizations({
      server,
      ...(workspace === undefined ? {} : { workspace }),
      records: this.#records,
      grants: this.#grants,
      registrations: this.#registrations,
      learn: (secret) => this.#learn(server, secret),
      exclusively: (key, work) => this.#exclusively(key, work),
      signOut: (key, revoke) => this.#signOut(server, key, revoke),
    });
  }

  /** Returns all accounts of all servers, without secrets. Fast, and shows no question. */
  accounts(): Promise<readonly StoredAccount[]> {
    return this.#grants.accounts();
  }

  /**
   * Revokes and removes the grant of an account. Returns `undefined` if there is no longer a grant.
   */
  signOut(account: GrantKey, revoke: RevokeGrant): Promise<SignOutResult | undefined> {
    return this.#signOut(noServer, account, revoke);
  }

  dispose(): void {
    this.#records.dispose();
    this.#locks.dispose();
  }

  /** No grant is renewed meanwhile, so that no window keeps a grant that is being revoked. */
  async #signOut(
    server: string,
    key: GrantKey,
    revoke: RevokeGrant,
  ): Promise<SignOutResult | undefined> {
    const learn = (secret: string) => this.#learn(server, secret);
    return await this.#exclusively(key, async () => {
      const grant = await this.#grants.get(key, learn);
      if (grant === undefined) {
        await this.#grants.remove(key);
        return undefined;
      }
      const { issuer, resource, account, accountLabel: label } = grant;
      const registration = await this.#registrations.ofGrant(grant, learn);
      const notRevoked = await revokeTokens(grant, registration, revoke);
      await this.#grants.drop(grant);
      return { account: { issuer, resource, account, label }, notRevoked };
    });
  }

  #learn(server: string, secret: string): void {
    const learned = this.#learned.get(server) ?? new LearnedSecrets(this.#options.values);
    this.#learned.set(server, learned);
    learned.learn(secret);
  }

  /** Reads what another window stored before, even if this window has not been notified yet. */
  #exclusively<T>(
    { issuer, resource }: { readonly issuer: string; readonly resource: string },
    work: () => Promise<T>,
  ): Promise<T> {
    const key = JSON.stringify([issuer, resource]);
    return this.#locks.run(key, () => this.#records.exactly(work));
  }
}

/** A sign-in has six secrets, and each renewal adds two. */
const maxLearned = 100;
const maxLearnedChars = 256 * 1024;
/** Only the beginning of a longer secret is redacted. */
const maxSecretChars = 32 * 1024;

/**
 * The latest secrets of one server's sign-ins, registered with the redaction. They are limited,
 * because a server can renew its tokens as often as it likes and must not displace those of other
 * servers.
 */
class LearnedSecrets {
  readonly #values: Pick<SecretValues, 'hold'>;
  /** Oldest first. */
  readonly #held = new Map<string, HeldSecrets>();
  #chars = 0;

  constructor(values: Pick<SecretValues, 'hold'>) {
    this.#values = values;
  }

  learn(text: string): void {
    const secret = text.slice(0, maxSecretChars);
    const known = this.#held.get(secret);
    this.#held.delete(secret);
    if (known === undefined) this.#chars += secret.length;
    this.#held.set(secret, known ?? this.#values.hold([secret]));
    for (const [oldest, held] of this.#held) {
      const isWithin = this.#held.size <= maxLearned && this.#chars <= maxLearnedChars;
      if (isWithin || oldest === secret) break;
      this.#held.delete(oldest);
      this.#chars -= oldest.length;
      held.forget();
    }
  }
}
