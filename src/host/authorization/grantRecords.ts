import type { TokenGrant, ClientRegistration } from '../../core/auth/ports';
import { recordKey, type SecretRecords, hashOf } from './secretRecords';
import {
  toStoredAccount,
  serializeGrant,
  isSameGrantKey,
  parseAccount,
  parseTokenGrant,
  type GrantKey,
  type StoredAccount,
  parseRegistration,
  serializeRegistration,
  type StoredRegistration,
} from './storedAuthorizations';

/** Registers a secret with the redaction. */
export type RegisterSecret = (secret: string) => void;

const accountKind = 'account';
/** More accounts are not listed. */
const maxAccounts = 200;

/**
 * The grants of accounts, each in a record of its own so that no window overwrites another
 * window's. Beside each grant is a record without secrets, for listing accounts.
 */
export class GrantRecords {
  readonly #records: SecretRecords;
  #accounts: Promise<readonly StoredAccount[]> | undefined;

  constructor(records: SecretRecords) {
    this.#records = records;
    records.onDidChange(() => {
      this.#accounts = undefined;
    });
  }

  /** Also returns `undefined` for a damaged record, or one of another account than its key says. */
  async get(key: GrantKey, learn: RegisterSecret): Promise<TokenGrant | undefined> {
    const grant = parseTokenGrant(await this.#records.get(grantKeyOf(key)));
    if (grant === undefined || !isSameGrantKey(grant, key)) return undefined;
    learnGrant(grant, learn);
    return grant;
  }

  /** @throws {McpError} answerTooLarge */
  async put(grant: TokenGrant, learn: RegisterSecret): Promise<void> {
    learnGrant(grant, learn);
    const account = toStoredAccount(grant);
    const text = serializeGrant({ ...grant, accountLabel: account.label });
    await this.#records.put(grantKeyOf(grant), text);
    await this.#records.put(accountKeyOf(grant), JSON.stringify(account));
    this.#accounts = undefined;
  }

  /** Does nothing if a newer grant of the account was stored since. */
  async drop(grant: TokenGrant): Promise<void> {
    const kept = parseTokenGrant(await this.#records.get(grantKeyOf(grant)));
    if (kept !== undefined && kept.accessToken !== grant.accessToken) return;
    await this.remove(grant);
  }

  /** Also removes a record that can no longer be read. */
  async remove(key: GrantKey): Promise<void> {
    await this.#records.remove(accountKeyOf(key));
    await this.#records.remove(grantKeyOf(key));
    this.#accounts = undefined;
  }

  /** Sorted by server and label, as of the last change that this window received. */
  accounts(): Promise<readonly StoredAccount[]> {
    this.#accounts ??= this.#readAccounts();
    return this.#accounts;
  }

  async #readAccounts(): Promise<readonly StoredAccount[]> {
    const keys = (await this.#records.keys(`${accountKind}:`)).toSorted().slice(0, maxAccounts);
    const accounts = await Promise.all(
      keys.map(async (key) => {
        const account = parseAccount(await this.#records.get(key));
        return account !== undefined && accountKeyOf(account) === key ? [account] : [];
      }),
    );
    return withOwnLabels(accounts.flat());
  }
}

function learnGrant(grant: TokenGrant, learn: RegisterSecret): void {
  for (const secret of [grant.accessToken, grant.refreshToken, grant.proofKey]) {
    if (secret !== undefined) learn(secret);
  }
}

function grantKeyOf({ issuer, resource, account }: GrantKey): string {
  return recordKey('grant', issuer, resource, account);
}

function accountKeyOf({ issuer, resource, account }: GrantKey): string {
  return recordKey(accountKind, issuer, resource, account);
}

/** VS Code shows accounts with equal labels as one. */
function withOwnLabels(accounts: readonly StoredAccount[]): readonly StoredAccount[] {
  const taken = new Set<string>();
  return accounts
    .toSorted((one, other) => order(one, other))
    .map((account) => {
      const host = URL.canParse(account.resource) ? new URL(account.resource).host : '';
      let label = account.label;
      for (let count = 2; taken.has(`${host} ${label}`); count += 1) {
        label = `${account.label} (${count})`;
      }
      taken.add(`${host} ${label}`);
      return { ...account, label };
    });
}

function order(one: StoredAccount, other: StoredAccount): number {
  const [first = '', second = ''] = [one, other].map(({ resource, label, issuer, account }) =>
    JSON.stringify([resource, label, issuer, account]),
  );
  return first === second ? 0 : first < second ? -1 : 1;
}

/**
 * Redirect addresses differ by their port, so a server may get one registration from each window.
 */
const maxForIssuer = 8;
const ownKind = 'client:';

interface Found extends StoredRegistration {
  readonly key: string;
}

/**
 * Registrations by issuer. Those that a server issued are stored by redirect address and
 * shared by all servers; those that the user entered are stored for one server.
 */
export class RegistrationRecords {
  readonly #records: SecretRecords;

  constructor(records: SecretRecords) {
    this.#records = records;
  }

  /**
   * Returns the registration of `clientId`; otherwise the one that the user entered for the server,
   * or the latest.
   */
  async get(
    issuer: string,
    server: string,
    learn: RegisterSecret,
    clientId?: string,
  ): Promise<ClientRegistration | undefined> {
    const found = await this.#find(issuer, server);
    const best =
      clientId === undefined
        ? found[0]
        : found.find(({ registration }) => registration.clientId === clientId);
    if (best?.registration.clientSecret !== undefined) learn(best.registration.clientSecret);
    return best?.registration;
  }

  /** Returns the registration with which a grant was made, whichever server it was stored for. */
  async ofGrant(
    { issuer, clientId }: Pick<TokenGrant, 'issuer' | 'clientId'>,
    learn: RegisterSecret,
  ): Promise<ClientRegistration | undefined> {
    const keys = [
      ...(await this.#records.keys(sharedBegin(issuer))),
      ...(await this.#records.keys(ownKind)),
    ];
    const found = await this.#read(issuer, keys);
    const own = found.find(({ registration }) => registration.clientId === clientId)?.registration;
    if (own?.clientSecret !== undefined) learn(own.clientSecret);
    return own;
  }

  /** @throws {McpError} answerTooLarge */
  async put(
    registration: ClientRegistration,
    server: string,
    learn: RegisterSecret,
  ): Promise<void> {
    const { issuer, from, redirectAddress = '', clientSecret } = registration;
    if (clientSecret !== undefined) learn(clientSecret);
    const isOwn = from === 'given' || from === 'configured';
    const begin = isOwn ? ownBegin(issuer, server) : sharedBegin(issuer);
    const key = begin + (isOwn ? '' : hashOf([redirectAddress]));
    await this.#records.put(key, serializeRegistration({ registration, keptAt: Date.now() }));
    const found = (await this.#find(issuer, server)).filter(({ key: each }) => each !== key);
    for (const { key: old } of found.slice(maxForIssuer - 1)) await this.#records.remove(old);
  }

  /** Removes the registration that {@link get} returns. */
  async remove(issuer: string, server: string, clientId?: string): Promise<void> {
    const found = await this.#find(issuer, server);
    const best = found.find(
      ({ registration }) => clientId === undefined || registration.clientId === clientId,
    );
    if (best !== undefined) await this.#records.remove(best.key);
  }

  /** Also removes damaged registrations, and those that other servers of the issuer share. */
  async removeAll(issuer: string, server: string): Promise<void> {
    for (const key of await this.#keys(issuer, server)) await this.#records.remove(key);
  }

  /** Registrations that the user entered come first, then the latest. */
  async #find(issuer: string, server: string): Promise<readonly Found[]> {
    const found = await this.#read(issuer, await this.#keys(issuer, server));
    const own = ownBegin(issuer, server);
    const rank = ({ key, keptAt }: Found): number => (key === own ? Infinity : keptAt);
    return found.toSorted((one, other) => (rank(one) < rank(other) ? 1 : -1));
  }

  async #read(issuer: string, keys: readonly string[]): Promise<readonly Found[]> {
    const found = await Promise.all(
      keys.map(async (key): Promise<Found[]> => {
        const kept = parseRegistration(await this.#records.get(key));
        return kept?.registration.issuer === issuer ? [{ ...kept, key }] : [];
      }),
    );
    return found.flat();
  }

  async #keys(issuer: string, server: string): Promise<readonly string[]> {
    const own = ownBegin(issuer, server);
    const isOwn = (await this.#records.keys(own)).includes(own);
    return [...(isOwn ? [own] : []), ...(await this.#records.keys(sharedBegin(issuer)))];
  }
}

function sharedBegin(issuer: string): string {
  return `registration:${hashOf([issuer])}:`;
}

function ownBegin(issuer: string, server: string): string {
  return ownKind + hashOf([issuer, server]);
}
