import {
  allowInsecureRequests,
  customFetch,
  processRevocationResponse,
  revocationRequest,
} from 'oauth4webapi';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { AddressRules } from './addressRules';
import { AuthHttp } from './authHttp';
import { authenticationOf, clientForGrant } from './clientAuthentication';
import type { ClientRegistration, OAuthConfiguration, TokenGrant } from './ports';
/** Limits both requests together, so that an unreachable server does not delay signing out. */
const timeoutMs = 5_000;

/**
 * Revokes the tokens of a grant at the authorization server (RFC 7009), the refresh token first
 * because it can obtain others; takes at most 5 s. Resolves to the tokens that could not be revoked
 * and stay valid until they expire. Does not change the store. Never rejects.
 */
export async function revokeGrant(
  grant: TokenGrant,
  registration: ClientRegistration | undefined,
  serverUrl: string,
  configuration: OAuthConfiguration = {},
): Promise<readonly ('refreshToken' | 'accessToken')[]> {
  const { revocationEndpoint, issuer } = grant;
  const kinds = (['refreshToken', 'accessToken'] as const).filter((kind) => grant[kind]);
  if (revocationEndpoint === undefined) return kinds;
  const left = new Set(kinds);
  const ending = new CancellationTokenSource();
  const timer = setTimeout(() => ending.cancel(), timeoutMs);
  try {
    const rules = new AddressRules(new URL(serverUrl), configuration.allowedHosts);
    const http = new AuthHttp(rules, ending.token);
    const client = clientForGrant(grant, registration, configuration);
    const authentication = await authenticationOf(client, configuration.privateKey);
    const server = { issuer, revocation_endpoint: revocationEndpoint };
    for (const kind of kinds) {
      const token = grant[kind] ?? '';
      const hint = kind === 'refreshToken' ? 'refresh_token' : 'access_token';
      const known = { client_id: client.clientId };
      const answer = await revocationRequest(server, known, authentication, token, {
        [customFetch]: http.fetch('token'),
        [allowInsecureRequests]: true,
        additionalParameters: { token_type_hint: hint },
      });
      await processRevocationResponse(answer);
      left.delete(kind);
    }
  } catch {
    // Any failure is reported as a token that the server may still accept.
  } finally {
    clearTimeout(timer);
    ending.dispose();
  }
  return [...left];
}
