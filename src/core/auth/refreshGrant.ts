import type { AuthorizationStore, TokenGrant } from './ports';
import { causeOf } from './tokenRequests';
import type { TokenAnswer, TokenRequests, TokenSource } from './tokenRequests';

/** What the server says when it will not do it, however often it is asked. */
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
 * The grant with a new access token, kept before anybody uses it; the one of whoever was faster, in
 * any window. `undefined`: there is none any more, because the server refuses the refresh
 * token or the person signed out.
 * @throws {McpError} signInFailed, and nothing is dropped | cancelled
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
      // One whose turn was over may have been at it all the same.
      const newer = await store.grant(serverUrl);
      if (newer !== undefined && newer.accessToken !== kept.accessToken) return newer;
      await store.dropGrant(serverUrl, kept);
      if (code === 'invalid_client') await store.forgetRegistration(issuer);
      return undefined;
    }
  });
}

/** What the answer does not say stays as it was; a refresh token that comes along counts at once. */
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
