import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError, assertNever } from '../errors';
import { type AuthHttp, signInFailure } from './authHttp';
import type {
  AuthorizationStore,
  ClientRegistration,
  OAuthConfiguration,
  SignInAgent,
  ClientAuthenticationMethod,
  ClientPrivateKey,
  TokenGrant,
} from './ports';
import type { ServerMetadata } from './serverMetadata';
import {
  allowInsecureRequests,
  customFetch,
  dynamicClientRegistrationRequest,
  processDynamicClientRegistrationResponse,
  ResponseBodyError,
  None,
  ClientSecretPost,
  PrivateKeyJwt,
  type AuthorizationServer,
  type ClientAuth,
} from 'oauth4webapi';
import { isLoopbackHost } from '../localHost';
import { createPrivateKey } from 'node:crypto';

export interface ClientChoice {
  readonly server: ServerMetadata;
  /** Absent for a device code, which has no redirect. */
  readonly redirectAddress: string | undefined;
  /** The authorization server of the previous sign-in, if it was a different one. */
  readonly formerIssuer: string | undefined;
  readonly configuration: OAuthConfiguration;
  readonly description: ClientDescription;
  readonly store: AuthorizationStore;
  readonly agent: Pick<SignInAgent, 'askForClient'>;
  readonly http: AuthHttp;
}

/**
 * Finds the client registration for this authorization server: configured, stored, a client ID
 * metadata document, registered now, or entered by the user. Never uses one
 * of another authorization server.
 * @throws {McpError} signInFailed | signInNeeded | cancelled
 */
export async function chooseClient(
  choice: ClientChoice,
  token?: CancellationToken,
): Promise<ClientRegistration> {
  const { server, redirectAddress, configuration, store } = choice;
  const configured = await configuredClient(choice);
  if (configured !== undefined) return configured;
  const stored = await store.registration(server.issuer);
  if (stored !== undefined && isUsable(stored, redirectAddress)) return stored;
  const { clientDocument } = configuration;
  if (clientDocument !== undefined && server.client_id_metadata_document_supported === true) {
    return {
      issuer: server.issuer,
      clientId: clientDocument,
      authentication: 'none',
      from: 'document',
    };
  }
  const registration =
    server.registration_endpoint === undefined
      ? await askedClient(choice, token)
      : await registerClient(server, redirectAddress, choice.description, choice.http);
  learn(store, registration);
  await store.keepRegistration(registration);
  return registration;
}

/** @throws {McpError} signInFailed if it belongs to another server */
async function configuredClient(choice: ClientChoice): Promise<ClientRegistration | undefined> {
  const { server, configuration, store, formerIssuer } = choice;
  const { clientId, clientSecret, privateKey } = configuration;
  if (clientId === undefined) return undefined;
  if (formerIssuer !== undefined) {
    const before = await store.registration(formerIssuer);
    if (before?.clientId === clientId) {
      throw new McpError('signInFailed', {
        signInStep: 'client',
        issuer: server.issuer,
        detail: `the client id of the configuration is one of ${formerIssuer.slice(0, 500)}`,
      });
    }
  }
  if (clientSecret !== undefined) store.learnSecret(clientSecret);
  const hasSecret = clientSecret !== undefined && clientSecret !== '';
  const registration: ClientRegistration = {
    issuer: server.issuer,
    clientId,
    authentication: privateKey === undefined ? methodFor(server, hasSecret) : 'private_key_jwt',
    from: 'configured',
    ...(hasSecret ? { clientSecret } : {}),
  };
  // Remembers which server this client id belongs to, in case the server changes later.
  await store.keepRegistration(registration);
  return registration;
}

function isUsable(stored: ClientRegistration, redirectAddress: string | undefined): boolean {
  if (stored.from === 'configured' || stored.from === 'document') return false;
  if (stored.secretExpiresAt !== undefined && stored.secretExpiresAt <= Date.now()) return false;
  return stored.from === 'given' || stored.redirectAddress === redirectAddress;
}

async function askedClient(
  { server, agent }: ClientChoice,
  token: CancellationToken | undefined,
): Promise<ClientRegistration> {
  const { clientId, clientSecret } = await agent.askForClient(server.issuer, token);
  const hasSecret = clientSecret !== undefined && clientSecret !== '';
  return {
    issuer: server.issuer,
    clientId,
    authentication: methodFor(server, hasSecret),
    from: 'given',
    ...(hasSecret ? { clientSecret } : {}),
  };
}

/** Registers the secret for redaction before a log can contain it. */
function learn(store: AuthorizationStore, { clientSecret }: ClientRegistration): void {
  if (clientSecret !== undefined) store.learnSecret(clientSecret);
}

export interface ClientDescription {
  readonly name: string;
  readonly address?: string;
}

/**
 * Registers with the authorization server, for this redirect address only.
 * @throws {McpError} signInFailed with the server's message (R-253) | cancelled | unauthorized if
 * the endpoint was only guessed and does not exist
 */
async function registerClient(
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
