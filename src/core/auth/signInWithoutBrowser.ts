import {
  allowInsecureRequests,
  customFetch,
  deviceAuthorizationRequest,
  processDeviceAuthorizationResponse,
} from 'oauth4webapi';
import { CancellationTokenSource, type CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import { raceCancellation, waitFor } from '../rpc/cancellation';
import { isConnectionFailure, signInFailure, type AuthHttp } from './authHttp';
import { authenticationOf, methodFor } from './chooseClient';
import type {
  AuthorizationStore,
  SignInAgent,
  SignInQuestion,
  ClientRegistration,
  OAuthConfiguration,
} from './ports';
import type { ServerMetadata } from './serverMetadata';
import {
  oauthErrorCode,
  scopeOf,
  TokenRequests,
  type TokenAnswer,
  type TokenSource,
  tokenSource,
} from './tokenRequests';
import type { ProofKey } from './proofKey';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
const maxSeconds = 600;
const maxCodeChars = 100;
/** In seconds (RFC 8628, section 3.5). */
const defaultInterval = 5;
const slowDown = 5;

export interface DeviceAttempt {
  readonly server: ServerMetadata;
  readonly source: TokenSource;
  readonly scopes: readonly string[];
  readonly question: SignInQuestion;
}

/**
 * Shows a code for the user to enter on any device and waits until they did (RFC 8628), for at most
 * ten minutes.
 * @throws {McpError} signInFailed | signInNeeded | cancelled
 */
export async function askByDeviceCode(
  attempt: DeviceAttempt,
  agent: SignInAgent,
  store: AuthorizationStore,
  http: AuthHttp,
  token?: CancellationToken,
): Promise<TokenAnswer> {
  const { question } = attempt;
  const { rules } = http;
  const device = await askForCode(attempt, http);
  store.learnSecret(device.device_code);
  const shown = {
    userCode: device.user_code.slice(0, maxCodeChars),
    verificationUri: rules.checked(device.verification_uri, 'authorization').href,
    ...(device.verification_uri_complete === undefined
      ? {}
      : {
          verificationUriComplete: rules.checked(device.verification_uri_complete, 'authorization')
            .href,
        }),
  };
  const ending = new CancellationTokenSource();
  const done = untilTyped(attempt, device, new TokenRequests(http, store), ending.token);
  try {
    // Closing the message early cancels the sign-in.
    const showing = agent.showDeviceCode?.(question, shown, done, token) ?? Promise.resolve();
    const closed = showing.then(() => done);
    return await raceCancellation(Promise.race([done, closed]), token);
  } finally {
    ending.cancel();
    done.catch(() => undefined);
  }
}

async function askForCode({ server, source, scopes }: DeviceAttempt, http: AuthHttp) {
  const { client, resource, privateKey } = source;
  const known = { client_id: client.clientId };
  const parameters = { ...scopeOf(scopes), ...(resource === undefined ? {} : { resource }) };
  try {
    const authentication = await authenticationOf(client, privateKey);
    const answer = await deviceAuthorizationRequest(server, known, authentication, parameters, {
      [customFetch]: http.fetch('authorization'),
      [allowInsecureRequests]: true,
    });
    return await processDeviceAuthorizationResponse(server, known, answer);
  } catch (error) {
    throw signInFailure(error, 'authorization', server.issuer);
  }
}

/**
 * Polls until the code was entered. The last poll is when the code expires, however long the server
 * asks to wait.
 */
async function untilTyped(
  { source }: DeviceAttempt,
  device: { readonly device_code: string; readonly expires_in: number; readonly interval?: number },
  tokens: TokenRequests,
  token: CancellationToken,
): Promise<TokenAnswer> {
  const endsAt = performance.now() + Math.min(device.expires_in, maxSeconds) * 1_000;
  let interval = Math.max(device.interval ?? defaultInterval, 1);
  for (;;) {
    const leftMs = Math.max(endsAt - performance.now(), 0);
    await waitFor(Math.min(interval * 1_000, leftMs), token);
    try {
      return await tokens.grant(source, grantType, { device_code: device.device_code });
    } catch (error) {
      const isBroken = isConnectionFailure(error);
      const code = oauthErrorCode(error);
      if (!isBroken && code !== 'authorization_pending' && code !== 'slow_down') throw error;
      if (performance.now() >= endsAt) throw isBroken ? error : tooLate(source);
      if (code === 'slow_down') interval += slowDown;
      // RFC 8628, section 3.5 asks for exponential backoff after connection failures.
      if (isBroken) interval *= 2;
    }
  }
}

function tooLate({ issuer }: TokenSource): McpError {
  const detail = 'the code was not typed in time';
  return new McpError('signInFailed', { signInStep: 'token', issuer, detail });
}

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
export function machineGrantHosts({ enterprise }: OAuthConfiguration): readonly string[] {
  const provider = enterprise?.tokenEndpoint ?? '';
  return URL.canParse(provider) ? [new URL(provider).hostname] : [];
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
