import type { Disposable } from 'vscode-jsonrpc/node';
import type { SecretValues, HeldSecrets } from '../secrets/secretValues';
import { ExclusiveLocks } from '../storage/exclusiveLocks';
import { GrantRecords } from './grantRecords';
import { RegistrationRecords } from './registrationRecords';
import { SecretRecords, type SharedSecretStore } from './secretRecords';
import { ServerAuthorizations } from './serverAuthorizations';
import {
  type GrantKey,
  type KeptAccount,
  notRevokedOf,
  type RevokeGrant,
  type SignedOut,
} from './storedAuthorizations';

export interface KeptAuthorizationsOptions {
  readonly secrets: SharedSecretStore;
  readonly values: Pick<SecretValues, 'hold'>;
  /**
   * The folder of lock files, which hold nothing about a sign-in. Absent: what is kept belongs to this
   * process alone.
   */
  readonly lockFolder?: string;
  /** What the open workspace is known by; absent where none is open. */
  readonly workspace?: string;
  readonly onProblem: (problem: AuthorizationProblem) => void;
  /** Milliseconds until what was stored has reached the other windows. */
  readonly settleMs?: number;
}

/** Told once each while the window lives; `detail` is what the system said, untrusted. */
export interface AuthorizationProblem {
  /** `notStored`: sign-ins end with the window. `notExclusive`: two windows may renew at a time. */
  readonly code: 'notStored' | 'notExclusive';
  readonly detail: string;
}

/** VS Code hands on what it was given to store after a tenth of a second. */
const defaultSettleMs = 1_000;
/** Whose secrets are known that are read for no server in particular. */
const noServer = '';

/**
 * Registrations at authorization servers and what accounts were granted there, in the editor's
 * store of secrets and nowhere else, for all windows. Keys hold hashes. Every secret that passes
 * here is known to the redaction before anybody gets it.
 */
export class KeptAuthorizations implements Disposable {
  readonly #options: KeptAuthorizationsOptions;
  readonly #records: SecretRecords;
  readonly #grants: GrantRecords;
  readonly #registrations: RegistrationRecords;
  readonly #locks: ExclusiveLocks;
  /** By `serverKey`. */
  readonly #learned = new Map<string, LearnedSecrets>();

  constructor(options: KeptAuthorizationsOptions) {
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

  /** Something was kept, dropped or chosen, by this window or another. */
  get onDidChange() {
    return this.#records.onDidChange;
  }

  /** For one server by its `serverKey`: which account and which client id count is its own matter. */
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

  /** All accounts of all servers, without secrets; quick, and asks nobody. */
  accounts(): Promise<readonly KeptAccount[]> {
    return this.#grants.accounts();
  }

  /** Revokes and forgets what an account was granted. `undefined` where there is nothing any more. */
  signOut(account: GrantKey, revoke: RevokeGrant): Promise<SignedOut | undefined> {
    return this.#signOut(noServer, account, revoke);
  }

  /** Gives an account the name that the person wants. */
  async renameAccount(account: GrantKey, label: string): Promise<void> {
    await this.#exclusively(account, async () => {
      const learn = (secret: string) => this.#learn(noServer, secret);
      const grant = await this.#grants.get(account, learn);
      if (grant !== undefined) await this.#grants.put({ ...grant, accountLabel: label }, learn);
    });
  }

  dispose(): void {
    this.#records.dispose();
    this.#locks.dispose();
  }

  /** Nothing is renewed meanwhile, so that nobody keeps what is being revoked. */
  async #signOut(
    server: string,
    key: GrantKey,
    revoke: RevokeGrant,
  ): Promise<SignedOut | undefined> {
    const learn = (secret: string) => this.#learn(server, secret);
    return await this.#exclusively(key, async () => {
      const grant = await this.#grants.get(key, learn);
      if (grant === undefined) {
        await this.#grants.remove(key);
        return undefined;
      }
      const { issuer, resource, account, accountLabel: label } = grant;
      const registration = await this.#registrations.ofGrant(grant, learn);
      const notRevoked = await notRevokedOf(grant, registration, revoke);
      await this.#grants.drop(grant);
      return { account: { issuer, resource, account, label }, notRevoked };
    });
  }

  #learn(server: string, secret: string): void {
    const learned = this.#learned.get(server) ?? new LearnedSecrets(this.#options.values);
    this.#learned.set(server, learned);
    learned.learn(secret);
  }

  /** Whoever was faster in another window is seen, also before this one has heard of it. */
  #exclusively<T>(
    { issuer, resource }: { readonly issuer: string; readonly resource: string },
    work: () => Promise<T>,
  ): Promise<T> {
    const key = JSON.stringify([issuer, resource]);
    return this.#locks.run(key, () => this.#records.exactly(work));
  }
}

/** A sign-in has six, and a grant that is renewed two more each time. */
const maxLearned = 100;
const maxLearnedChars = 256 * 1024;
/** Of a longer one its beginning is looked for. */
const maxSecretChars = 32 * 1024;

/**
 * The secrets of the sign-ins of one server, known to the redaction: the latest of them, because a
 * server can have its tokens renewed as often as it likes, and must push out nobody else's.
 */
class LearnedSecrets {
  readonly #values: Pick<SecretValues, 'hold'>;
  /** The oldest first. */
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
