import type { CancellationToken } from 'vscode-jsonrpc/node';

// What asks for the headers of each request and gets what was refused is `RequestAuthorization`.
export type { Refusal, RequestAuthorization } from '../http/requestAuthorization';

/** What identifies Toolgate to one authorization server. */
export interface ClientRegistration {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Milliseconds since 1970 after which the secret counts no more. */
  readonly secretExpiresAt?: number;
  /** As registered, or as the metadata of the server makes us choose. */
  readonly authentication: ClientAuthenticationMethod;
  readonly from: 'configured' | 'given' | 'document' | 'registered';
  /** With which it was registered, word for word; absent: any loopback port. */
  readonly redirectAddress?: string;
}

export type ClientAuthenticationMethod =
  'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** What one account was granted at one server. Every member but the texts of the first four is secret. */
export interface TokenGrant {
  readonly issuer: string;
  /** The `resource` of every request for it, byte for byte. */
  readonly resource: string;
  /** Unique for issuer and resource: what an id token says, else ours; no name. */
  readonly account: string;
  /** For the person, from an id token; untrusted. `''`: the server did not say. */
  readonly accountLabel: string;
  readonly accessToken: string;
  /** Milliseconds since 1970; absent: the server did not say. */
  readonly expiresAt?: number;
  readonly refreshToken?: string;
  /** What was asked for, over all authorizations of it. */
  readonly askedScopes: readonly string[];
  /** What the server said that it gave; absent: what was asked for. */
  readonly grantedScopes?: readonly string[];
  readonly clientId: string;
  /** Of the token endpoint's and, where there is one, of the revocation endpoint's metadata. */
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
}

/** Keeps registrations and grants, for all windows. What it is given is in no log before. */
export interface AuthorizationStore {
  registration(issuer: string): Promise<ClientRegistration | undefined>;
  keepRegistration(registration: ClientRegistration): Promise<void>;
  forgetRegistration(issuer: string): Promise<void>;
  /** The grant that counts for the server at `serverUrl` (the account chosen for it). */
  grant(serverUrl: string): Promise<TokenGrant | undefined>;
  /** From now on the one that counts for `serverUrl`; replaces one of the same account. */
  keepGrant(serverUrl: string, grant: TokenGrant): Promise<void>;
  /** Forgets it, unless a newer one of that account was kept since (`accessToken` differs). */
  dropGrant(serverUrl: string, grant: TokenGrant): Promise<void>;
  /** One at a time over all windows; whoever waited reads {@link grant} again first. */
  exclusively<T>(key: { issuer: string; resource: string }, work: () => Promise<T>): Promise<T>;
  /** Told of every secret text (token, code, verifier, secret) before it is used anywhere. */
  learnSecret(text: string): void;
}

/** What a person is told before the browser opens. */
export interface SignInQuestion {
  readonly serverUrl: string;
  readonly issuer: string;
  /** The origin of the authorization endpoint, which may be another than the issuer's. */
  readonly authorizationOrigin: string;
  readonly resource: string;
  /** Asked for now; empty: what the server decides. */
  readonly scopes: readonly string[];
  /** `stepUp`: for a call under way; `changedServer`: another issuer than the last time. */
  readonly reason: 'first' | 'again' | 'stepUp' | 'changedServer';
  /** For a step-up: scopes that were not asked for before, and the operation that needs them. */
  readonly addedScopes: readonly string[];
  readonly operation?: string;
  /** What the issuer was the last time (`changedServer`). */
  readonly formerIssuer?: string;
  /** How Toolgate would identify itself. */
  readonly client: ClientRegistration['from'];
}

/** The place to which the browser brings the answer. */
export interface RedirectReceiver {
  /** `redirect_uri`, word for word, in every request of the sign-in. */
  readonly address: string;
  dispose(): void;
}

/** What a sign-in needs of the person and their browser. Everything of it can be cancelled. */
export interface SignInAgent {
  /**
   * Which of several authorization servers.
   * @throws {McpError} cancelled | signInNeeded where nobody may be asked now
   */
  chooseIssuer(
    serverUrl: string,
    issuers: readonly string[],
    token?: CancellationToken,
  ): Promise<string>;
  /**
   * Listens before anything is registered. `port`: of a stored registration, where it is free.
   * @throws {McpError} unsupportedFeature where no browser can come back: then the device code is tried
   */
  receiver(port: number | undefined): Promise<RedirectReceiver>;
  /**
   * Asks, opens `address` and resolves to the whole address that the browser was sent back to, by
   * the listener or pasted, when its `state` is this attempt's. Never shows what came with it.
   * @throws {McpError} cancelled | signInNeeded where nobody may be asked now
   */
  authorize(
    question: SignInQuestion,
    request: {
      readonly address: string;
      readonly state: string;
      readonly receiver: RedirectReceiver;
    },
    token?: CancellationToken,
  ): Promise<URL>;
  /**
   * A client id where the server offers no way to get one.
   * @throws {McpError} cancelled | signInNeeded
   */
  askForClient(
    issuer: string,
    token?: CancellationToken,
  ): Promise<{ readonly clientId: string; readonly clientSecret?: string }>;
  /**
   * Before anything is sent for a code to type. Absent: somebody is always there.
   * @throws {McpError} signInNeeded where nobody may be asked now
   */
  checkAsked?(): void;
  /**
   * Device authorization (RFC 8628): shows code and address until `done` settles.
   * @throws {McpError} cancelled | signInNeeded
   */
  showDeviceCode?(
    question: SignInQuestion,
    device: {
      readonly userCode: string;
      readonly verificationUri: string;
      readonly verificationUriComplete?: string;
    },
    done: Promise<unknown>,
    token?: CancellationToken,
  ): Promise<void>;
}

/** What the configuration of a server says of its sign-in. */
export interface OAuthConfiguration {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Narrower than, or other than, what the challenge asks for. */
  readonly scopes?: readonly string[];
  readonly redirectPort?: number;
  /** The server refuses RFC 8707's `resource`; a warning goes with it. */
  readonly omitResource?: boolean;
  /** Address of the client id metadata document, where there is one. */
  readonly clientDocument?: string;
  /** Names that may be reached though they are in a network where the server is not. */
  readonly allowedHosts?: readonly string[];
  /** Without a person: RFC 6749 4.4, by secret or by a signed assertion. */
  readonly grant?: 'authorization_code' | 'client_credentials';
  /** In place of a secret: signs the assertions that say who asks (RFC 7523 2.2). */
  readonly privateKey?: ClientPrivateKey;
  /**
   * What the place where this runs says of it, in place of a person (RFC 7523 2.1, R-291); secret.
   * Redeemed as it is, once for each token.
   */
  readonly workloadToken?: string;
  /** The identity provider of a company gives access in place of the person. */
  readonly enterprise?: EnterpriseConfiguration;
}

export interface ClientPrivateKey {
  /** PKCS 8; secret. */
  readonly pem: string;
  readonly algorithm: 'ES256' | 'ES384' | 'RS256' | 'PS256';
}

/** Identity assertion authorization grant: what is known of the person is exchanged, then redeemed. */
export interface EnterpriseConfiguration {
  readonly tokenEndpoint: string;
  readonly clientId: string;
  /** What the identity provider said of the person at their sign-in there; secret. */
  readonly idToken: string;
}
