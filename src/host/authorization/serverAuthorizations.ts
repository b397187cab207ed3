import type { AuthorizationStore, ClientRegistration, TokenGrant } from '../../core/auth/ports';
import type { GrantRecords, RegisterSecret, RegistrationRecords } from './grantRecords';
import { recordKey, type SecretRecords } from './secretRecords';
import {
  parseGrantKey,
  type GrantKey,
  type StoredAccount,
  type RevokeGrant,
  type SignOutResult,
} from './storedAuthorizations';

interface ServerAuthorizationsOptions {
  /** The `serverKey` of the server. */
  readonly server: string;
  /** Key of the open workspace; undefined if none is open. */
  readonly workspace?: string;
  readonly records: SecretRecords;
  readonly grants: GrantRecords;
  readonly registrations: RegistrationRecords;
  readonly learn: RegisterSecret;
  readonly exclusively: AuthorizationStore['exclusively'];
  readonly signOut: (key: GrantKey, revoke: RevokeGrant) => Promise<SignOutResult | undefined>;
}

/** The account of one server in each workspace, and its client id. */
export class ServerAuthorizations implements AuthorizationStore {
  readonly #options: ServerAuthorizationsOptions;
  /** Client ids by issuer, of the grant that was read or stored last. */
  readonly #clientIds = new Map<string, string>();

  constructor(options: ServerAuthorizationsOptions) {
    this.#options = options;
  }

  /**
   * Returns the registration of `clientId`. Without it, returns the registration of the server's
   * grant, because only that one can renew the grant; otherwise the one that the user entered, or
   * the latest of the issuer.
   */
  async registration(issuer: string, clientId?: string): Promise<ClientRegistration | undefined> {
    const { registrations, server, learn } = this.#options;
    const wanted = clientId ?? this.#clientIds.get(issuer);
    const found =
      wanted === undefined ? undefined : await registrations.get(issuer, server, learn, wanted);
    if (found !== undefined || clientId !== undefined) return found;
    return await registrations.get(issuer, server, learn);
  }

  async keepRegistration(registration: ClientRegistration): Promise<void> {
    const { registrations, server, learn } = this.#options;
    await registrations.put(registration, server, learn);
  }

  /** Removes the registration that {@link registration} returns. */
  async forgetRegistration(issuer: string, clientId?: string): Promise<void> {
    const { registrations, server } = this.#options;
    const known = await this.registration(issuer, clientId);
    if (known !== undefined) await registrations.remove(issuer, server, known.clientId);
  }

  /**
   * Removes all registrations of the issuer, including those that other servers share. The next
   * sign-in registers again.
   */
  async forgetRegistrations(issuer: string): Promise<void> {
    const { registrations, server } = this.#options;
    await registrations.removeAll(issuer, server);
  }

  async grant(serverUrl: string): Promise<TokenGrant | undefined> {
    const key = await this.chosen(serverUrl);
    if (key === undefined) return undefined;
    const grant = await this.#options.grants.get(key, this.#options.learn);
    if (grant !== undefined) this.#clientIds.set(grant.issuer, grant.clientId);
    return grant;
  }

  async keepGrant(serverUrl: string, grant: TokenGrant): Promise<void> {
    await this.#options.grants.put(grant, this.#options.learn);
    this.#clientIds.set(grant.issuer, grant.clientId);
    await this.#choose(serverUrl, grant);
  }

  async dropGrant(_serverUrl: string, grant: TokenGrant): Promise<void> {
    await this.#options.grants.drop(grant);
  }

  exclusively<T>(
    key: { readonly issuer: string; readonly resource: string },
    work: () => Promise<T>,
  ): Promise<T> {
    return this.#options.exclusively(key, work);
  }

  learnSecret(text: string): void {
    this.#options.learn(text);
  }

  /**
   * Returns the account that was chosen last here, or in another workspace if none was chosen here,
   * even if its grant is gone. No other account replaces one that was signed out.
   */
  async chosen(serverUrl: string): Promise<GrantKey | undefined> {
    const { records } = this.#options;
    const own = parseGrantKey(await records.get(this.#choiceKey(serverUrl, this.#workspace)));
    return own ?? parseGrantKey(await records.get(this.#choiceKey(serverUrl, '')));
  }

  /**
   * Returns the accounts that the user can switch between: those of the same resource and issuer.
   */
  async accounts(serverUrl: string): Promise<readonly StoredAccount[]> {
    const key = await this.chosen(serverUrl);
    const all = await this.#options.grants.accounts();
    return all.filter(
      ({ issuer, resource }) => issuer === key?.issuer && resource === key.resource,
    );
  }

  /** Chooses one of {@link accounts}; ignores any other account. */
  async choose(serverUrl: string, account: string): Promise<void> {
    const known = await this.accounts(serverUrl);
    const wanted = known.find((each) => each.account === account);
    if (wanted !== undefined) await this.#choose(serverUrl, wanted);
  }

  /** Revokes and removes the current grant. Returns `undefined` if there is no longer a grant. */
  async signOut(serverUrl: string, revoke: RevokeGrant): Promise<SignOutResult | undefined> {
    const key = await this.chosen(serverUrl);
    return key === undefined ? undefined : await this.#options.signOut(key, revoke);
  }

  get #workspace(): string {
    return this.#options.workspace ?? '';
  }

  /** Chooses the account here, and in every workspace without a choice. */
  async #choose(serverUrl: string, { issuer, resource, account }: GrantKey): Promise<void> {
    const { records } = this.#options;
    const text = JSON.stringify({ issuer, resource, account });
    const own = this.#choiceKey(serverUrl, this.#workspace);
    if ((await records.get(own)) !== text) await records.put(own, text);
    const common = this.#choiceKey(serverUrl, '');
    if (parseGrantKey(await records.get(common)) === undefined) await records.put(common, text);
  }

  #choiceKey(serverUrl: string, workspace: string): string {
    return recordKey('choice', this.#options.server, serverUrl, workspace);
  }
}
