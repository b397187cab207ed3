import { None, ClientSecretPost, PrivateKeyJwt } from 'oauth4webapi';
import type { AuthorizationServer, ClientAuth } from 'oauth4webapi';
import { createPrivateKey } from 'node:crypto';
import { assertNever, McpError } from '../errors';
import type {
  ClientAuthenticationMethod,
  ClientPrivateKey,
  ClientRegistration,
  OAuthConfiguration,
  TokenGrant,
} from './ports';

/**
 * Returns how the client authenticates at the token endpoint. @throws {McpError}
 * signInFailed
 */
export async function authenticationOf(
  { authentication, clientSecret = '' }: ClientRegistration,
  privateKey?: ClientPrivateKey,
): Promise<ClientAuth> {
  switch (authentication) {
    case 'none':
      return None();
    case 'client_secret_post':
      return ClientSecretPost(clientSecret);
    case 'client_secret_basic':
      return basic(clientSecret);
    case 'private_key_jwt':
      if (privateKey === undefined) throw noKey('there is no private key');
      return PrivateKeyJwt(await importKey(privateKey));
    default:
      return assertNever(authentication);
  }
}

/**
 * Encodes like any other form. The library also encodes `-`, `.`, `_` and `~`, which
 * servers that compare the raw text refuse.
 */
function basic(secret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    const pair = `${formEncoded(client.client_id)}:${formEncoded(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

const algorithms = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
} as const;

async function importKey({ pem, algorithm }: ClientPrivateKey) {
  try {
    const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
    const how = algorithms[algorithm];
    return await crypto.subtle.importKey('pkcs8', new Uint8Array(der), how, false, ['sign']);
  } catch {
    // The error's message may quote the key, so it is dropped.
    throw noKey('the private key cannot be read');
  }
}

function noKey(detail: string): McpError {
  return new McpError('signInFailed', { signInStep: 'client', detail });
}

/** Chooses one of the server's authentication methods for a client with or without a secret. */
export function methodFor(
  server: AuthorizationServer,
  hasSecret: boolean,
): ClientAuthenticationMethod {
  if (!hasSecret) return 'none';
  // RFC 8414 defines this default.
  const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return offered.includes('client_secret_post') && !offered.includes('client_secret_basic')
    ? 'client_secret_post'
    : 'client_secret_basic';
}

/**
 * Returns the client that a grant was issued to, for later requests about the grant. A stored
 * registration is used only if it has the same id; if there is none and the id is not configured
 * either, the client had no secret.
 */
export function clientForGrant(
  { issuer, clientId }: TokenGrant,
  registration: ClientRegistration | undefined,
  { clientId: configured, clientSecret, privateKey }: OAuthConfiguration,
): ClientRegistration {
  if (registration?.clientId === clientId && registration.issuer === issuer) return registration;
  if (configured !== clientId)
    return { issuer, clientId, authentication: 'none', from: 'document' };
  const hasSecret = clientSecret !== undefined && clientSecret !== '';
  return {
    issuer,
    clientId,
    authentication: privateKey === undefined ? methodFor({ issuer }, hasSecret) : 'private_key_jwt',
    from: 'configured',
    ...(hasSecret ? { clientSecret } : {}),
  };
}
