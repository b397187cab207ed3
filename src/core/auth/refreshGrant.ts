import type { AuthorizationStore, TokenGrant } from './ports';
import { causeOf } from './tokenRequests';
import type { TokenAnswer, TokenRequests, TokenSource } from './tokenRequests';

/** Error codes after which a retry is pointless. */
const finalCodes: readonly (string | undefined)[] = [
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
];

export interface Refreshing {
  readonly serverUrl: string;
  readonly store: AuthorizationStore;
  readonly tokens: TokenRequests;
  readonly source: TokenSource;
}

/**
 * Obtains a new access token and stores it before its first use. Returns the grant of another
 * window if that window was faster, and `undefined` if the server refuses the refresh token
 * or the user signed out.
 * @throws {McpError} signInFailed, which drops nothing | cancelled
 */
export async function refreshGrant(
  { serverUrl, store, tokens, source }: Refreshing,
  grant: TokenGrant,
): Promise<TokenGrant | undefined> {
  const { issuer, resource } = grant;
  return store.exclusively({ issuer, resource }, async () => {
    const kept = await store.grant(serverUrl);
    if (kept === undefined || kept.accessToken !== grant.accessToken) return kept;
    const { refreshToken } = kept;
    if (refreshToken === undefined) return undefined;
    try {
      const answer = await tokens.refresh(source, refreshToken, kept.askedScopes);
      const renewed = renewedGrant(kept, answer);
      await store.keepGrant(serverUrl, renewed);
      return renewed;
    } catch (error) {
      const code = causeOf(error);
      if (!finalCodes.includes(code)) throw error;
      // A window whose turn timed out may still have renewed the grant.
      const newer = await store.grant(serverUrl);
      if (newer !== undefined && newer.accessToken !== kept.accessToken) return newer;
      await store.dropGrant(serverUrl, kept);
      if (code === 'invalid_client') await store.forgetRegistration(issuer);
      return undefined;
    }
  });
}

/** Values that the answer omits stay unchanged; a new refresh token replaces the old one. */
function renewedGrant(before: TokenGrant, answer: TokenAnswer): TokenGrant {
  const { expiresAt: _, ...rest } = before;
  const { accessToken, refreshToken, expiresAt, grantedScopes } = answer;
  return {
    ...rest,
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(grantedScopes === undefined ? {} : { grantedScopes }),
  };
}
