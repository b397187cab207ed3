import { McpError } from '../errors';
import type { AuthHttp } from './authHttp';
import { methodFor } from './clientAuthentication';
import type { AuthorizationStore, ClientRegistration, OAuthConfiguration } from './ports';
import type { ProofKey } from './proofKey';
import type { ServerMetadata } from './serverMetadata';
import { scopeOf, TokenRequests, tokenSource } from './tokenRequests';
import type { TokenAnswer } from './tokenRequests';

// Grants without a browser, each used only if it is configured.

export interface MachineRequest {
  readonly server: ServerMetadata;
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
  readonly configuration: OAuthConfiguration;
  readonly store: Pick<AuthorizationStore, 'learnSecret'>;
  readonly http: AuthHttp;
  /** The access token has to be bound to this key. */
  readonly proof: ProofKey | undefined;
}

/** True if the sign-in needs no user. */
export function isMachineGrant({ grant, enterprise, workloadToken }: OAuthConfiguration): boolean {
  return grant === 'client_credentials' || enterprise !== undefined || workloadToken !== undefined;
}

/** The identity provider was configured by the user, so its host is allowed. */
export function machineGrantHosts({ allowedHosts = [], enterprise }: OAuthConfiguration) {
  const provider = enterprise?.tokenEndpoint ?? '';
  return URL.canParse(provider) ? [...allowedHosts, new URL(provider).hostname] : allowedHosts;
}

/** @throws {McpError} signInFailed | cancelled */
export async function requestMachineGrant(
  request: MachineRequest,
): Promise<{ readonly client: ClientRegistration; readonly answer: TokenAnswer }> {
  const client = configuredClient(request);
  return { client, answer: await answerFor(request, client) };
}

function answerFor(request: MachineRequest, client: ClientRegistration): Promise<TokenAnswer> {
  const { configuration, scopes, store } = request;
  const { enterprise, workloadToken } = configuration;
  if (enterprise !== undefined) return exchangeIdentity(request, client, enterprise);
  const tokens = tokensOf(request);
  const source = tokenSource(request, client);
  if (workloadToken === undefined) {
    return tokens.grant(source, 'client_credentials', scopeOf(scopes));
  }
  store.learnSecret(workloadToken);
  const parameters = { assertion: workloadToken, ...scopeOf(scopes) };
  return tokens.grant(source, jwtBearer, parameters);
}

const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const idToken = 'urn:ietf:params:oauth:token-type:id_token';
const assertionGrant = 'urn:ietf:params:oauth:token-type:id-jag';

/**
 * Exchanges the ID token for an assertion for this server, and the assertion for an access token.
 */
async function exchangeIdentity(
  request: MachineRequest,
  client: ClientRegistration,
  enterprise: NonNullable<OAuthConfiguration['enterprise']>,
): Promise<TokenAnswer> {
  const { server, resource, scopes, store } = request;
  store.learnSecret(enterprise.idToken);
  if (!URL.canParse(enterprise.tokenEndpoint)) {
    const detail = 'the identity provider of the configuration is no address';
    throw new McpError('signInFailed', { signInStep: 'token', detail });
  }
  const provider = new URL(enterprise.tokenEndpoint).origin;
  const exchanged = await tokensOf(request).grant(
    {
      issuer: provider,
      tokenEndpoint: enterprise.tokenEndpoint,
      client: {
        issuer: provider,
        clientId: enterprise.clientId,
        authentication: 'none',
        from: 'configured',
      },
      resource,
      proof: undefined,
      tokenType: 'n_a',
    },
    tokenExchange,
    {
      requested_token_type: assertionGrant,
      audience: server.issuer,
      subject_token: enterprise.idToken,
      subject_token_type: idToken,
      ...scopeOf(scopes),
    },
  );
  return tokensOf(request).grant(tokenSource(request, client), jwtBearer, {
    assertion: exchanged.accessToken,
    ...scopeOf(scopes),
  });
}

function configuredClient({ configuration, server, store }: MachineRequest): ClientRegistration {
  const { clientId, clientSecret, privateKey } = configuration;
  if (clientId === undefined) {
    const detail = 'the configuration names no client id';
    throw new McpError('signInFailed', { signInStep: 'client', issuer: server.issuer, detail });
  }
  if (clientSecret !== undefined) store.learnSecret(clientSecret);
  return {
    issuer: server.issuer,
    clientId,
    authentication:
      privateKey === undefined ? methodFor(server, clientSecret !== undefined) : 'private_key_jwt',
    from: 'configured',
    ...(clientSecret === undefined ? {} : { clientSecret }),
  };
}

function tokensOf({ http, store }: MachineRequest): TokenRequests {
  return new TokenRequests(http, store);
}
