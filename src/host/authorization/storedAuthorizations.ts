import type {
  ClientAuthenticationMethod,
  ClientRegistration,
  TokenGrant,
} from '../../core/auth/ports';
import { McpError } from '../../core/errors';
import { isObject, type UnknownObject } from '../../core/json/shapes';

/** Identifies the grant that a server uses. */
export interface GrantKey {
  readonly issuer: string;
  readonly resource: string;
  readonly account: string;
}

/** An account as listed, without secrets. */
export interface StoredAccount extends GrantKey {
  /** Untrusted text for the user. Labels are unique for each host. */
  readonly label: string;
}

/** A registration, and when it was stored in milliseconds since the epoch. */
export interface StoredRegistration {
  readonly registration: ClientRegistration;
  readonly keptAt: number;
}

/** Longer than any header that servers accept. */
const maxSecretChars = 32 * 1024;
const maxAddressChars = 8 * 1024;
const maxNameChars = 1_000;
const maxScopes = 500;

const methods: readonly ClientAuthenticationMethod[] = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
];
const origins: readonly ClientRegistration['from'][] = [
  'configured',
  'given',
  'document',
  'registered',
];

/**
 * Returns the text to store. @throws {McpError} answerTooLarge if the text could not be read again
 */
export function serializeGrant(grant: TokenGrant): string {
  return checked(grant, parseTokenGrant);
}

/**
 * Returns the text to store. @throws {McpError} answerTooLarge if the text could not be read again
 */
export function serializeRegistration(kept: StoredRegistration): string {
  return checked(kept, parseRegistration);
}

/** Returns `undefined` for any text that is not a valid grant. */
export function parseTokenGrant(text: string | undefined): TokenGrant | undefined {
  return parsed(text, (value) => {
    const read = new Members(value);
    const expiresAt = read.optional('expiresAt', () => read.number('expiresAt'));
    const refreshToken = read.optionalText('refreshToken', maxSecretChars);
    const proofKey = read.optionalText('proofKey', maxSecretChars);
    const grantedScopes = read.optional('grantedScopes', () => read.texts('grantedScopes'));
    const revocationEndpoint = read.optionalText('revocationEndpoint', maxAddressChars);
    const grant: TokenGrant = {
      ...readKey(read),
      accountLabel: read.text('accountLabel', maxNameChars),
      accessToken: read.text('accessToken', maxSecretChars),
      askedScopes: read.texts('askedScopes'),
      clientId: read.text('clientId', maxAddressChars),
      tokenEndpoint: read.text('tokenEndpoint', maxAddressChars),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(proofKey === undefined ? {} : { proofKey }),
      ...(grantedScopes === undefined ? {} : { grantedScopes }),
      ...(revocationEndpoint === undefined ? {} : { revocationEndpoint }),
    };
    return read.isWhole ? grant : undefined;
  });
}

/** Returns `undefined` for any text that is not a valid registration. */
export function parseRegistration(text: string | undefined): StoredRegistration | undefined {
  return parsed(text, (value) => {
    const outer = new Members(value);
    const own = value['registration'];
    const read = new Members(isObject(own) ? own : {});
    const clientSecret = read.optionalText('clientSecret', maxSecretChars);
    const secretExpiresAt = read.optional('secretExpiresAt', () => read.number('secretExpiresAt'));
    const redirectAddress = read.optionalText('redirectAddress', maxAddressChars);
    const registration: ClientRegistration = {
      issuer: read.text('issuer', maxAddressChars),
      clientId: read.text('clientId', maxAddressChars),
      authentication: read.oneOf('authentication', methods, 'none'),
      from: read.oneOf('from', origins, 'registered'),
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...(secretExpiresAt === undefined ? {} : { secretExpiresAt }),
      ...(redirectAddress === undefined ? {} : { redirectAddress }),
    };
    const kept = { registration, keptAt: outer.number('keptAt') };
    return read.isWhole && outer.isWhole ? kept : undefined;
  });
}

/** Returns `undefined` for any text that is not a valid key. */
export function parseGrantKey(text: string | undefined): GrantKey | undefined {
  return parsed(text, (value) => {
    const read = new Members(value);
    const key = readKey(read);
    return read.isWhole ? key : undefined;
  });
}

/** Returns `undefined` for any text that is not a valid account. */
export function parseAccount(text: string | undefined): StoredAccount | undefined {
  return parsed(text, (value) => {
    const read = new Members(value);
    const account = { ...readKey(read), label: read.text('label', maxNameChars) };
    return read.isWhole ? account : undefined;
  });
}

/** Returns the account of a grant, with a label that can be stored. */
export function toStoredAccount({
  issuer,
  resource,
  account,
  accountLabel,
}: TokenGrant): StoredAccount {
  return { issuer, resource, account, label: accountLabel.slice(0, maxNameChars) };
}

export function isSameGrantKey(one: GrantKey, other: GrantKey): boolean {
  const { issuer, resource, account } = one;
  return issuer === other.issuer && resource === other.resource && account === other.account;
}

function readKey(read: Members): GrantKey {
  return {
    issuer: read.text('issuer', maxAddressChars),
    resource: read.text('resource', maxAddressChars),
    account: read.text('account', maxNameChars),
  };
}

function parsed<T>(
  text: string | undefined,
  parse: (value: UnknownObject) => T | undefined,
): T | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? parse(value) : undefined;
  } catch {
    return undefined;
  }
}

/** Checks that the text can be read again before it is stored. */
function checked(value: object, parse: (text: string) => unknown): string {
  const text = JSON.stringify(value);
  // The error contains only the limit, because the text is secret.
  if (parse(text) === undefined) throw new McpError('answerTooLarge', { limit: maxSecretChars });
  return text;
}

/** Reads members one by one and remembers if one was invalid. */
class Members {
  readonly #value: UnknownObject;
  isWhole = true;

  constructor(value: UnknownObject) {
    this.#value = value;
  }

  text(name: string, maxChars: number): string {
    const value = this.#value[name];
    return typeof value === 'string' && value.length <= maxChars ? value : this.#fail('');
  }

  number(name: string): number {
    const value = this.#value[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : this.#fail(0);
  }

  texts(name: string): readonly string[] {
    const value = this.#value[name];
    if (!Array.isArray(value) || value.length > maxScopes) return this.#fail([]);
    const texts = value.filter(
      (item): item is string => typeof item === 'string' && item.length <= maxNameChars,
    );
    return texts.length === value.length ? texts : this.#fail([]);
  }

  oneOf<T extends string>(name: string, known: readonly T[], otherwise: T): T {
    return known.find((each) => each === this.#value[name]) ?? this.#fail(otherwise);
  }

  /** Returns `undefined` for a member that does not exist. */
  optional<T>(name: string, read: () => T): T | undefined {
    return this.#value[name] === undefined ? undefined : read();
  }

  optionalText(name: string, maxChars: number): string | undefined {
    return this.optional(name, () => this.text(name, maxChars));
  }

  #fail<T>(otherwise: T): T {
    this.isWhole = false;
    return otherwise;
  }
}

type TokenKind = 'refreshToken' | 'accessToken';

/**
 * Asks the server to revoke the tokens of a grant, refresh token first (RFC 7009), and resolves
 * with those that could not be revoked. `registration` is the one of the grant, if it still exists.
 */
export type RevokeGrant = (
  grant: TokenGrant,
  registration: ClientRegistration | undefined,
) => Promise<readonly TokenKind[]>;

/** The result of signing an account out. */
export interface SignOutResult {
  readonly account: StoredAccount;
  /** Tokens that remain valid at the server until they expire. */
  readonly notRevoked: readonly TokenKind[];
}

/** Returns all tokens if the request to revoke them fails. Never rejects. */
export async function revokeTokens(
  grant: TokenGrant,
  registration: ClientRegistration | undefined,
  revoke: RevokeGrant,
): Promise<readonly TokenKind[]> {
  try {
    return await revoke(grant, registration);
  } catch {
    return grant.refreshToken === undefined ? ['accessToken'] : ['refreshToken', 'accessToken'];
  }
}
