import {
  allowInsecureRequests,
  customFetch,
  dynamicClientRegistrationRequest,
  processDynamicClientRegistrationResponse,
  ResponseBodyError,
} from 'oauth4webapi';
import { McpError } from '../errors';
import { isLoopbackHost } from '../thisMachine';
import type { AuthHttp } from './authHttp';
import { methodFor } from './clientAuthentication';
import { signInFailure } from './oauthErrors';
import type { ClientAuthenticationMethod, ClientRegistration } from './ports';
import type { ServerMetadata } from './serverMetadata';

export interface ClientDescription {
  readonly name: string;
  readonly address?: string;
}

/**
 * Registers with the authorization server, for this redirect address only.
 * @throws {McpError} signInFailed with the server's message (R-253) | cancelled | unauthorized if
 * the endpoint was only guessed and does not exist
 */
export async function registerClient(
  server: ServerMetadata,
  redirectAddress: string | undefined,
  description: ClientDescription,
  http: AuthHttp,
): Promise<ClientRegistration> {
  const asked = askedMethod(server);
  try {
    const answer = await dynamicClientRegistrationRequest(
      server,
      {
        client_name: description.name,
        ...(description.address === undefined ? {} : { client_uri: description.address }),
        ...(redirectAddress === undefined ? {} : { redirect_uris: [redirectAddress] }),
        grant_types: grantTypes(server, redirectAddress),
        response_types: redirectAddress === undefined ? [] : ['code'],
        token_endpoint_auth_method: asked,
        application_type: applicationType(redirectAddress),
      },
      { [customFetch]: http.fetch('client'), [allowInsecureRequests]: true },
    );
    const given = await processDynamicClientRegistrationResponse(answer);
    return toRegistration(given, server, redirectAddress);
  } catch (error) {
    if (server.isGuessed === true && isNoEndpoint(error)) {
      throw new McpError('unauthorized', { offersNoSignIn: true });
    }
    throw signInFailure(error, 'client', server.issuer);
  }
}

/**
 * A real registration endpoint refuses with status 400 and an error code (RFC 7591, section 3.2.2).
 */
function isNoEndpoint(error: unknown): boolean {
  if (error instanceof McpError) return false;
  return !(error instanceof ResponseBodyError && error.status === 400);
}

/**
 * A program on the user's machine cannot keep a secret from the user, so it asks for one only if
 * the server requires it.
 */
function askedMethod(server: ServerMetadata): ClientAuthenticationMethod {
  const offered = server.token_endpoint_auth_methods_supported;
  return offered === undefined || offered.includes('none') ? 'none' : methodFor(server, true);
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

function grantTypes(server: ServerMetadata, redirectAddress: string | undefined): string[] {
  const first = redirectAddress === undefined ? deviceGrant : 'authorization_code';
  const refreshes = server.grant_types_supported?.includes('refresh_token') ?? true;
  return refreshes ? [first, 'refresh_token'] : [first];
}

/** `web` if the redirect address is not on the loopback interface. */
function applicationType(redirectAddress: string | undefined): 'native' | 'web' {
  if (redirectAddress === undefined) return 'native';
  return isLoopbackHost(new URL(redirectAddress).hostname) ? 'native' : 'web';
}

interface RegistrationAnswer {
  readonly client_id: string;
  readonly client_secret?: unknown;
  readonly client_secret_expires_at?: unknown;
  readonly token_endpoint_auth_method?: unknown;
}

function toRegistration(
  given: RegistrationAnswer,
  server: ServerMetadata,
  redirectAddress: string | undefined,
): ClientRegistration {
  const { client_id: clientId, client_secret: secret, client_secret_expires_at: expiry } = given;
  const hasSecret = typeof secret === 'string' && secret !== '';
  const authentication =
    knownMethod(given.token_endpoint_auth_method, hasSecret) ?? methodFor(server, hasSecret);
  return {
    issuer: server.issuer,
    clientId,
    authentication,
    from: 'registered',
    ...(hasSecret && authentication !== 'none' ? { clientSecret: secret } : {}),
    ...(typeof expiry === 'number' && expiry > 0 ? { secretExpiresAt: expiry * 1_000 } : {}),
    ...(redirectAddress === undefined ? {} : { redirectAddress }),
  };
}

/** Uses the registered method if this client supports it. */
function knownMethod(value: unknown, hasSecret: boolean): ClientAuthenticationMethod | undefined {
  if (value === 'none') return 'none';
  if (!hasSecret) return undefined;
  return value === 'client_secret_basic' || value === 'client_secret_post' ? value : undefined;
}
