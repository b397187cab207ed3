import type { ClientRegistration, TokenGrant } from '../../core/auth/ports';
import { McpError } from '../../core/errors';
import {
  list,
  number,
  oneOf,
  optional,
  parseText,
  shape,
  type Parsed,
  type Parser,
} from '../../core/parse/parsers';

/** Longer than any header that servers accept. */
const maxSecretChars = 32 * 1024;
const maxNameChars = 1_000;
const maxScopes = 500;

const secret = boundedText(maxSecretChars);
const address = boundedText(8 * 1024);
const name = boundedText(maxNameChars);

const key = { issuer: address, resource: address, account: name };
const parseKey = shape(key);
/** Identifies the grant that a server uses. */
export type GrantKey = Parsed<typeof parseKey>;

/** The label is an untrusted text for the user. Labels are unique for each host. */
const parseStoredAccount = shape({ ...key, label: name });
/** An account as listed, without secrets. */
export type StoredAccount = Parsed<typeof parseStoredAccount>;

const parseGrant: Parser<TokenGrant> = shape({
  ...key,
  accountLabel: name,
  accessToken: secret,
  expiresAt: optional(number),
  refreshToken: optional(secret),
  proofKey: optional(secret),
  askedScopes: scopes,
  grantedScopes: optional(scopes),
  clientId: address,
  tokenEndpoint: address,
  revocationEndpoint: optional(address),
});

const parseClientRegistration: Parser<ClientRegistration> = shape({
  issuer: address,
  clientId: address,
  clientSecret: optional(secret),
  secretExpiresAt: optional(number),
  authentication: oneOf('none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'),
  from: oneOf('configured', 'given', 'document', 'registered'),
  redirectAddress: optional(address),
});
const parseStoredRegistration = shape({
  registration: parseClientRegistration,
  keptAt: number,
});
/** A registration, and when it was stored in milliseconds since the epoch. */
export type StoredRegistration = Parsed<typeof parseStoredRegistration>;

function boundedText(maxChars: number): Parser<string> {
  return (value) => (typeof value === 'string' && value.length <= maxChars ? value : undefined);
}

function scopes(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.length <= maxScopes ? list(name)(value) : undefined;
}

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
  return parsed(text, parseGrant);
}

/** Returns `undefined` for any text that is not a valid registration. */
export function parseRegistration(text: string | undefined): StoredRegistration | undefined {
  return parsed(text, parseStoredRegistration);
}

/** Returns `undefined` for any text that is not a valid key. */
export function parseGrantKey(text: string | undefined): GrantKey | undefined {
  return parsed(text, parseKey);
}

/** Returns `undefined` for any text that is not a valid account. */
export function parseAccount(text: string | undefined): StoredAccount | undefined {
  return parsed(text, parseStoredAccount);
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

function parsed<T>(text: string | undefined, parse: Parser<T>): T | undefined {
  return text === undefined ? undefined : parseText(text, parse);
}

/** Checks that the text can be read again before it is stored. */
function checked(value: object, parse: (text: string) => unknown): string {
  const text = JSON.stringify(value);
  // The error contains only the limit, because the text is secret.
  if (parse(text) === undefined) throw new McpError('answerTooLarge', { limit: maxSecretChars });
  return text;
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
