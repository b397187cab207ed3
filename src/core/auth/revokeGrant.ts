import {
  allowInsecureRequests,
  customFetch,
  processRevocationResponse,
  revocationRequest,
} from 'oauth4webapi';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { AddressRules } from './addressRules';
import { AuthHttp } from './authHttp';
import { authenticationOf } from './clientAuthentication';
import type { ClientRegistration, OAuthConfiguration, TokenGrant } from './ports';
import { clientOfGrant } from './grantClient';

/** For both tokens together: whoever signs out does not wait for a server that is not there. */
const timeoutMs = 5_000;

/**
 * Tells the authorization server that a grant is not wanted any more: the refresh token first, because
 * whoever has it can get others (RFC 7009); at most 5 s. Resolves with what could not be revoked, and
 * counts until it expires. Forgets nothing here. Never rejects.
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
    const client = clientOfGrant(grant, registration, configuration);
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
    // Whatever it was: the person is told that the server may still take the tokens.
  } finally {
    clearTimeout(timer);
    ending.dispose();
  }
  return [...left];
}
