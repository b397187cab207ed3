import type { ClientRegistration, TokenGrant } from '../../core/auth/ports';
import type { KeptAccount } from './storedAuthorizations';

export type TokenKind = 'refreshToken' | 'accessToken';

/**
 * Asks the server to revoke what a grant holds, refresh token first (RFC 7009), and resolves with
 * what could not be revoked. `registration`: the one that the grant was made with, where it is
 * still known.
 */
export type RevokeGrant = (
  grant: TokenGrant,
  registration: ClientRegistration | undefined,
) => Promise<readonly TokenKind[]>;

/** What became of a grant that the person signed out of. */
export interface SignedOut {
  readonly account: KeptAccount;
  /** Counts at the server until it expires. */
  readonly notRevoked: readonly TokenKind[];
}

/** Nothing is revoked where asking for it fails in whatever way. Never rejects. */
export async function notRevokedOf(
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
