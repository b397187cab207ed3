import type { AuthorizationStore, ClientRegistration, TokenGrant } from '../../core/auth/ports';
import type { GrantRecords, Learn } from './grantRecords';
import { recordKey } from './recordKeys';
import type { RegistrationRecords } from './registrationRecords';
import type { SecretRecords } from './secretRecords';
import {
  parseGrantKey,
  type GrantKey,
  type KeptAccount,
  type RevokeGrant,
  type SignedOut,
} from './storedAuthorizations';

interface ServerAuthorizationsOptions {
  /** The `serverKey` of the server. */
  readonly server: string;
  /** What the open workspace is known by; absent where none is open. */
  readonly workspace?: string;
  readonly records: SecretRecords;
  readonly grants: GrantRecords;
  readonly registrations: RegistrationRecords;
  readonly learn: Learn;
  readonly exclusively: AuthorizationStore['exclusively'];
  readonly signOut: (key: GrantKey, revoke: RevokeGrant) => Promise<SignedOut | undefined>;
}

/** What counts for one server: its account, by workspace, and its client id. */
export class ServerAuthorizations implements AuthorizationStore {
  readonly #options: ServerAuthorizationsOptions;
  /** By issuer, of the grant that was read or kept last. */
  readonly #clientIds = new Map<string, string>();

  constructor(options: ServerAuthorizationsOptions) {
    this.#options = options;
  }

  /**
   * With `clientId` that one. Otherwise the one that the server's grant was made with, because only
   * with it the grant can be renewed; else what the person gave, or the latest of the issuer.
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

  /** The one that {@link registration} gives. */
  async forgetRegistration(issuer: string, clientId?: string): Promise<void> {
    const { registrations, server } = this.#options;
    const known = await this.registration(issuer, clientId);
    if (known !== undefined) await registrations.remove(issuer, server, known.clientId);
  }

  /** All of the issuer, those that other servers share as well: the next sign-in registers anew. */
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
   * Who was chosen last, here or, where nobody was, in another workspace; also when there is no grant
   * of it any more. Nobody takes the place of one that was signed out.
   */
  async chosen(serverUrl: string): Promise<GrantKey | undefined> {
    const { records } = this.#options;
    const own = parseGrantKey(await records.get(this.#choiceKey(serverUrl, this.#workspace)));
    return own ?? parseGrantKey(await records.get(this.#choiceKey(serverUrl, '')));
  }

  /** The accounts between which the person can switch: of the same resource and issuer. */
  async accounts(serverUrl: string): Promise<readonly KeptAccount[]> {
    const key = await this.chosen(serverUrl);
    const all = await this.#options.grants.accounts();
    return all.filter(
      ({ issuer, resource }) => issuer === key?.issuer && resource === key.resource,
    );
  }

  /** One of {@link accounts} counts from now on; any other is nothing to the server. */
  async choose(serverUrl: string, account: string): Promise<void> {
    const known = await this.accounts(serverUrl);
    const wanted = known.find((each) => each.account === account);
    if (wanted !== undefined) await this.#choose(serverUrl, wanted);
  }

  /** Revokes and forgets the grant that counts. `undefined` where there is none any more. */
  async signOut(serverUrl: string, revoke: RevokeGrant): Promise<SignedOut | undefined> {
    const key = await this.chosen(serverUrl);
    return key === undefined ? undefined : await this.#options.signOut(key, revoke);
  }

  get #workspace(): string {
    return this.#options.workspace ?? '';
  }

  /** Here; and everywhere else, where nobody was chosen yet. */
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
