import type { TokenGrant } from '../../core/auth/ports';
import { recordKey } from './recordKeys';
import type { SecretRecords } from './secretRecords';
import {
  toStoredAccount,
  serializeGrant,
  isSameGrantKey,
  parseAccount,
  parseTokenGrant,
  type GrantKey,
  type StoredAccount,
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
