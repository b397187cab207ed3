import type { ClientRegistration, TokenGrant } from '../../core/auth/ports';
import type { RegisterSecret } from './grantRecords';
import { hashOf } from './recordKeys';
import type { SecretRecords } from './secretRecords';
import {
  parseRegistration,
  serializeRegistration,
  type StoredRegistration,
} from './storedAuthorizations';

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
