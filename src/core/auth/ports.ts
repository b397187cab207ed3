import type { CancellationToken } from 'vscode-jsonrpc/node';

// `RequestAuthorization` provides the headers of each request and is told about refusals.
export type {
  AuthorizationRefusal,
  AuthorizedRequest,
  RequestAuthorization,
} from '../http/authorizedExchange';

/** Identifies Toolgate to one authorization server. */
export interface ClientRegistration {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Milliseconds since the epoch after which the secret is no longer valid. */
  readonly secretExpiresAt?: number;
  /** As registered, or as the server's metadata requires. */
  readonly authentication: ClientAuthenticationMethod;
  readonly from: 'configured' | 'given' | 'document' | 'registered';
  /** The registered redirect address, unchanged. Absent if any loopback port is allowed. */
  readonly redirectAddress?: string;
}

export type ClientAuthenticationMethod =
  | 'none'
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'private_key_jwt';

/**
 * The tokens that one server granted to one account. Everything except the first four strings is
 * secret.
 */
export interface TokenGrant {
  readonly issuer: string;
  /** The `resource` parameter of every request for it, byte for byte. */
  readonly resource: string;
  /**
   * Unique per issuer and resource: the subject of an ID token, or else a generated id. Not a name.
   */
  readonly account: string;
  /** A name to display, from an ID token. Untrusted. `''` if the server sent none. */
  readonly accountLabel: string;
  readonly accessToken: string;
  /** Milliseconds since the epoch. Absent if the server did not say. */
  readonly expiresAt?: number;
  readonly refreshToken?: string;
  /**
   * The private key that the tokens are bound to ({@link ProofKey.text}). With it, they are sent
   * with proofs and never as bearer tokens.
   */
  readonly proofKey?: string;
  /** All scopes that were requested for it, step-ups included. */
  readonly askedScopes: readonly string[];
  /** The scopes that the server says it granted. Absent if they equal the requested ones. */
  readonly grantedScopes?: readonly string[];
  readonly clientId: string;
  /** The token endpoint of the server's metadata. */
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
}

/** Keeps registrations and grants for all windows. Learns every secret before it can be logged. */
export interface AuthorizationStore {
  registration(issuer: string): Promise<ClientRegistration | undefined>;
  keepRegistration(registration: ClientRegistration): Promise<void>;
  forgetRegistration(issuer: string): Promise<void>;
  /**
   * Returns the current grant for the server at `serverUrl`, which is that of the selected account.
   */
  grant(serverUrl: string): Promise<TokenGrant | undefined>;
  /** Makes this the current grant for `serverUrl`. Replaces a grant of the same account. */
  keepGrant(serverUrl: string, grant: TokenGrant): Promise<void>;
  /**
   * Deletes the grant unless a newer one of the same account was stored since (another
   * `accessToken`).
   */
  dropGrant(serverUrl: string, grant: TokenGrant): Promise<void>;
  /**
   * Runs one `work` at a time across all windows. A caller that had to wait reads {@link grant}
   * again first.
   */
  exclusively<T>(key: { issuer: string; resource: string }, work: () => Promise<T>): Promise<T>;
  /**
   * Registers a secret (token, code, verifier or client secret) for redaction, before its first
   * use.
   */
  learnSecret(text: string): void;
}

/** Information for the user before the browser opens. */
export interface SignInQuestion {
  readonly serverUrl: string;
  readonly issuer: string;
  /** The origin of the authorization endpoint, which may differ from the issuer's. */
  readonly authorizationOrigin: string;
  readonly resource: string;
  /** The requested scopes. Empty if the server decides. */
  readonly scopes: readonly string[];
  /**
   * `stepUp`: for a running call. `changedServer`: the issuer differs from the previous one
   * (R-288).
   */
  readonly reason: 'first' | 'again' | 'stepUp' | 'changedServer';
  /** In a step-up, the scopes that were not requested before, and the operation that needs them. */
  readonly addedScopes: readonly string[];
  readonly operation?: string;
  /** The previous issuer, for `changedServer`. */
  readonly formerIssuer?: string;
  /** How Toolgate identifies itself. */
  readonly client: ClientRegistration['from'];
}

/** Receives the redirect of the browser. */
export interface RedirectReceiver {
  /** The exact `redirect_uri` of every request of the sign-in. */
  readonly address: string;
  dispose(): void;
}

/** Interactions of a sign-in with the user and the browser. Every method can be cancelled. */
export interface SignInAgent {
  /**
   * Asks which of several authorization servers to use.
   * @throws {McpError} cancelled | signInNeeded if the user may not be asked now
   */
  chooseIssuer(
    serverUrl: string,
    issuers: readonly string[],
    token?: CancellationToken,
  ): Promise<string>;
  /**
   * Starts to listen, before anything is registered.
   * @param port The port of a stored registration; another one is used if it is taken.
   * @throws {McpError} unsupportedFeature if a browser cannot redirect to this machine; then the
   * device code is tried
   */
  receiver(port: number | undefined): Promise<RedirectReceiver>;
  /**
   * Asks the user, opens `address` and resolves to the full address of the redirect, from the
   * listener or pasted by the user, if its `state` belongs to this attempt. Never displays the
   * parameters.
   * @throws {McpError} cancelled | signInNeeded if the user may not be asked now
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
   * Asks for a client id if the server offers no way to get one.
   * @throws {McpError} cancelled | signInNeeded
   */
  askForClient(
    issuer: string,
    token?: CancellationToken,
  ): Promise<{ readonly clientId: string; readonly clientSecret?: string }>;
  /**
   * Called before a device code is requested. Absent if the user can always be asked.
   * @throws {McpError} signInNeeded if the user may not be asked now
   */
  checkAsked?(): void;
  /**
   * Shows the code and address of a device authorization (RFC 8628) until `done` settles.
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

/** The sign-in settings of a configured server. */
export interface OAuthConfiguration {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Replaces the scopes that the challenge asks for. */
  readonly scopes?: readonly string[];
  readonly redirectPort?: number;
  /**
   * True if the server refuses the `resource` parameter of RFC 8707. The user is warned about it.
   */
  readonly omitResource?: boolean;
  /** The address of the client ID metadata document, if one is published. */
  readonly clientDocument?: string;
  /** Client credentials (RFC 6749, section 4.4) need no user. */
  readonly grant?: 'authorization_code' | 'client_credentials';
  /** Signs client assertions in place of a secret (RFC 7523, section 2.2). */
  readonly privateKey?: ClientPrivateKey;
  /**
   * Secret. A workload identity token, used in place of a user (RFC 7523, section 2.1, R-291). It
   * is redeemed unchanged, once for each access token.
   */
  readonly workloadToken?: string;
  /** A company's identity provider grants access in place of the user. */
  readonly enterprise?: EnterpriseConfiguration;
}

export interface ClientPrivateKey {
  /** Secret. In PKCS 8 format. */
  readonly pem: string;
  readonly algorithm: 'ES256' | 'ES384' | 'RS256' | 'PS256';
}

/**
 * Settings of the identity assertion authorization grant, which exchanges an ID token for an
 * assertion.
 */
export interface EnterpriseConfiguration {
  readonly tokenEndpoint: string;
  readonly clientId: string;
  /** Secret. The ID token of the user's sign-in at the identity provider. */
  readonly idToken: string;
}
