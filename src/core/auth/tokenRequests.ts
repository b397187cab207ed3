import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  customFetch,
  genericTokenEndpointRequest,
  isDPoPNonceError,
  processGenericTokenEndpointResponse,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  type DPoPHandle,
  type TokenEndpointResponse,
  processRevocationResponse,
  revocationRequest,
} from 'oauth4webapi';
import { McpError } from '../errors';
import { unreadIdToken, oauthCode, signInFailure, AuthHttp, AddressRules } from './authHttp';
import { parseScopes } from './discovery';
import { authenticationOf, clientForGrant } from './chooseClient';
import type {
  AuthorizationStore,
  ClientPrivateKey,
  ClientRegistration,
  OAuthConfiguration,
  TokenGrant,
} from './ports';
import type { ProofKey } from './proofKey';
import type { ServerMetadata } from './serverMetadata';
import { isObject } from '../json/shapes';
import { parseJson } from '../json/parseJson';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';

/** Limits one token: most servers refuse longer headers. */
const maxTokenChars = 16_384;
/** Limits a lifetime to ten years, so that the expiry stays a valid date. */
const maxSeconds = 10 * 365 * 24 * 3600;

/** The answer of a token endpoint. Every string except those of `person` is secret. */
export interface TokenAnswer {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  readonly grantedScopes?: readonly string[];
  readonly person?: Person;
}

/** The token endpoint and the client that requests tokens there. */
export interface TokenSource {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly client: ClientRegistration;
  /** `undefined` if the server refuses it (`omitResource`). */
  readonly resource: string | undefined;
  readonly privateKey?: ClientPrivateKey;
  /** The tokens have to be bound to this key. */
  readonly proof: ProofKey | undefined;
  /**
   * `n_a` if the result is not an access token but input for another grant (RFC 8693, section
   * 2.2.1).
   */
  readonly tokenType?: 'n_a';
}

interface SourceFacts extends Pick<TokenSource, 'resource' | 'proof'> {
  readonly server: ServerMetadata;
  readonly configuration: Pick<OAuthConfiguration, 'privateKey'>;
}

/** Returns the source of the first tokens of a sign-in. */
export function tokenSource(
  { server, resource, proof, configuration: { privateKey } }: SourceFacts,
  client: ClientRegistration,
): TokenSource {
  return {
    issuer: server.issuer,
    tokenEndpoint: server.token_endpoint,
    client,
    resource,
    proof,
    ...(privateKey === undefined ? {} : { privateKey }),
  };
}

/** Arguments in the form that the library expects. */
interface PreparedRequest {
  readonly server: AuthorizationServer;
  readonly client: Client;
  readonly authentication: ClientAuth;
  readonly parameters: Record<string, string>;
  readonly how: {
    readonly [customFetch]: ReturnType<AuthHttp['fetch']>;
    readonly [allowInsecureRequests]: true;
    readonly DPoP?: DPoPHandle;
  };
}

/** Sends requests to token endpoints, each with `resource`. */
export class TokenRequests {
  readonly #http: AuthHttp;
  readonly #store: Pick<AuthorizationStore, 'learnSecret'>;

  constructor(http: AuthHttp, store: Pick<AuthorizationStore, 'learnSecret'>) {
    this.#http = http;
    this.#store = store;
  }

  /**
   * @param answer The checked answer of the browser.
   * @throws {McpError} signInFailed | cancelled. The cause `invalid_client` means that the server
   * no longer knows the client.
   */
  async redeemCode(
    source: TokenSource,
    answer: URLSearchParams,
    redirectAddress: string,
    verifier: string,
  ): Promise<TokenAnswer> {
    return this.#ask(source, ({ server, client, authentication, parameters, how }) =>
      authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        answer,
        redirectAddress,
        verifier,
        { ...how, additionalParameters: parameters },
      ),
    );
  }

  /**
   * Omits the scopes, so that the server grants the same ones; if it refuses that, repeats the
   * request with the requested scopes.
   */
  async refresh(
    source: TokenSource,
    refreshToken: string,
    askedScopes: readonly string[],
  ): Promise<TokenAnswer> {
    const send = (scopes: readonly string[]) =>
      this.grant(source, 'refresh_token', { refresh_token: refreshToken, ...scopeOf(scopes) });
    try {
      return await send([]);
    } catch (error) {
      const code = oauthErrorCode(error);
      const mayHelp = code === 'invalid_scope' || code === 'invalid_request';
      if (!mayHelp || askedScopes.length === 0) throw error;
      return send(askedScopes);
    }
  }

  /**
   * Requests any other grant with the given parameters. @throws {McpError} as {@link redeemCode}
   */
  async grant(
    source: TokenSource,
    grantType: string,
    own: Readonly<Record<string, string>>,
  ): Promise<TokenAnswer> {
    return this.#ask(source, ({ server, client, authentication, parameters, how }) =>
      genericTokenEndpointRequest(
        server,
        client,
        authentication,
        grantType,
        { ...parameters, ...own },
        how,
      ),
    );
  }

  async #ask(
    source: TokenSource,
    send: (parts: PreparedRequest) => Promise<Response>,
  ): Promise<TokenAnswer> {
    const { proof, tokenType = proof === undefined ? 'bearer' : 'dpop' } = source;
    const ask = async () => {
      const parts = await this.#parts(source);
      const response = await send(parts);
      const { server, client } = parts;
      const how = { recognizedTokenTypes: { [tokenType]: () => undefined } };
      return processGenericTokenEndpointResponse(server, client, response, how);
    };
    try {
      // The server names a nonce for the proof when it refuses the first one (RFC 9449, section 8).
      const json = await ask().catch((error: unknown) => {
        if (proof === undefined || !isDPoPNonceError(error)) throw error;
        return ask();
      });
      return this.#take(json, tokenType);
    } catch (error) {
      throw withCause(signInFailure(error, 'token', source.issuer), oauthCode(error));
    }
  }

  async #parts(source: TokenSource): Promise<PreparedRequest> {
    const { issuer, tokenEndpoint, client, resource, privateKey, proof } = source;
    const how = {
      [customFetch]: this.#http.fetch('token'),
      [allowInsecureRequests]: true,
    } as const;
    return {
      server: { issuer, token_endpoint: tokenEndpoint },
      client: { client_id: client.clientId },
      authentication: await authenticationOf(client, privateKey),
      parameters: resource === undefined ? {} : { resource },
      // The fetch itself checks which addresses are allowed.
      how: proof === undefined ? how : { ...how, DPoP: proof.handle },
    };
  }

  #take(json: TokenEndpointResponse, tokenType: string): TokenAnswer {
    const { access_token: accessToken, refresh_token: refresh, expires_in: seconds, scope } = json;
    this.#store.learnSecret(accessToken);
    if (refresh !== undefined && refresh !== '') this.#store.learnSecret(refresh);
    const idToken = json[unreadIdToken];
    if (typeof idToken === 'string') this.#store.learnSecret(idToken);
    // Any other character could break out of the header (RFC 6750, section 2.1).
    if (json.token_type.toLowerCase() !== tokenType) {
      const detail = tokenType === 'dpop' ? 'the token is not bound to a key' : 'no bearer token';
      throw new McpError('signInFailed', { signInStep: 'token', detail });
    }
    if (accessToken.length > maxTokenChars || !/^[\x21-\x7e]+$/.test(accessToken)) {
      throw new McpError('signInFailed', { signInStep: 'token', detail: 'no usable access token' });
    }
    const person = typeof idToken === 'string' ? personIn(idToken) : undefined;
    return {
      accessToken,
      ...(refresh === undefined || refresh === '' ? {} : { refreshToken: refresh }),
      ...(seconds === undefined || seconds <= 0
        ? {}
        : { expiresAt: Date.now() + Math.min(seconds, maxSeconds) * 1_000 }),
      ...(scope === undefined ? {} : { grantedScopes: parseScopes(scope) }),
      ...(person === undefined ? {} : { person }),
    };
  }
}

export function scopeOf(scopes: readonly string[]): Readonly<Record<string, string>> {
  return scopes.length === 0 ? {} : { scope: scopes.join(' ') };
}

/** Keeps the OAuth error code as the cause, and nothing else of the answer. */
function withCause(error: McpError, cause: string | undefined): McpError {
  return cause === undefined ? error : new McpError(error.code, { ...error.facts, cause });
}

/** Returns the OAuth error code that ended a token request, such as `invalid_grant`. */
export function oauthErrorCode(error: unknown): string | undefined {
  const cause: unknown = error instanceof McpError ? error.facts.cause : undefined;
  return typeof cause === 'string' ? cause : undefined;
}

const maxIdTokenChars = 65_536;
const maxNameChars = 200;

/** The user named by an ID token. Untrusted: it only distinguishes accounts on screen. */
interface Person {
  readonly subject: string;
  readonly name?: string;
}

/**
 * Reads the user from an ID token. Its signature is not checked: it came over TLS from the token
 * endpoint, and no decision depends on it.
 */
function personIn(token: string): Person | undefined {
  if (token.length > maxIdTokenChars) return undefined;
  const [, payload = ''] = token.split('.');
  let claims: unknown;
  try {
    claims = parseJson(Buffer.from(payload, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!isObject(claims) || !isName(claims.sub)) return undefined;
  const name = [claims.name, claims.preferred_username, claims.email].find(isName);
  return { subject: claims.sub, ...(name === undefined ? {} : { name }) };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= maxNameChars;
}

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
    const rules = new AddressRules(new URL(serverUrl));
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
