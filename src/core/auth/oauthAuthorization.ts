import type { CancellationToken } from 'vscode-jsonrpc/node';
import { isMcpError, McpError, toMcpError } from '../errors';
import type { HttpHeaders } from '../http/httpEndpoint';
import type { Refusal, RequestAuthorization } from '../http/requestAuthorization';
import type { ConnectionLog } from '../log';
import { AddressRules } from './addressRules';
import { AuthHttp } from './authHttp';
import { bearerChallenge } from './challenges';
import type { BearerChallenge } from './challenges';
import { discover } from './discovery';
import type { Discovery } from './discovery';
import { clientOfGrant } from './grantClient';
import { isSameIssuer } from './issuers';
import { allowedHostsOf, isWithoutPerson } from './machineGrants';
import type { AuthorizationStore, OAuthConfiguration, SignInAgent, TokenGrant } from './ports';
import { refreshGrant } from './refreshGrant';
import type { ClientDescription } from './registerClient';
import { coversServer } from './resourceMetadata';
import { SharedWork } from './sharedWork';
import { signInRound } from './signInRound';
import type { SignInContext } from './signInRound';
import { StepUps } from './stepUps';
import { TokenRequests } from './tokenRequests';

/**
 * A token is renewed this long before it expires, or when a quarter of a shorter lifetime is left.
 */
const earlyMs = 30_000;

export interface OAuthOptions {
  /** The configured address, `http:` or `https:`. */
  readonly serverUrl: string;
  readonly configuration: OAuthConfiguration;
  readonly store: AuthorizationStore;
  readonly agent: SignInAgent;
  /** Describes the product in registrations and on the pages of authorization servers. */
  readonly description: ClientDescription;
  readonly log: Pick<ConnectionLog, 'info' | 'warn'>;
  /** Returns true to sign in with another account than last time. Defaults to false. */
  readonly wantsAnother?: () => boolean;
}

/**
 * Implements MCP authorization for one server. At most one sign-in and one refresh run at a time,
 * shared by all requests that need them. Tokens are kept in the store only, and are sent to no
 * other server than the one they were issued for.
 *
 * Spec: 2026-07-28 basic/authorization; `discovery.ts` handles older revisions.
 */
export class OAuthAuthorization implements RequestAuthorization {
  readonly #context: SignInContext;
  readonly #log: OAuthOptions['log'];
  readonly #signIns = new SharedWork<void>();
  /**
   * For background requests: they join a running sign-in, but must not start one that asks the
   * user.
   */
  readonly #silent = new SharedWork<void>();
  readonly #refreshes = new SharedWork<TokenGrant | undefined>();
  readonly #stepUps = new StepUps();
  /** The grant that this object obtained last, and when to renew it. */
  #made: { readonly accessToken: string; readonly renewAt: number; isSignIn: boolean } | undefined;
  /**
   * The previous grant if it is no longer valid. It tells the next sign-in which account and server
   * it had.
   */
  #lost: TokenGrant | undefined;

  /** @throws {TypeError} if `serverUrl` is not an address */
  constructor(options: OAuthOptions) {
    const { log, ...rest } = options;
    const url = new URL(options.serverUrl);
    url.hash = '';
    const rules = new AddressRules(url, allowedHostsOf(options.configuration));
    this.#context = { ...rest, url, rules };
    this.#log = log;
  }

  async headers(token?: CancellationToken): Promise<HttpHeaders> {
    const grant = await this.#grant();
    if (grant === undefined) return {};
    return headersOf(this.#isDue(grant) ? await this.#renewedEarly(grant, token) : grant);
  }

  async refused(refusal: Refusal, token?: CancellationToken): Promise<void> {
    const challenge = await bearerChallenge(refusal.challenges);
    const isStepUp = refusal.status === 403;
    // Any other 403 is an ordinary refusal.
    if (isStepUp && challenge?.error !== 'insufficient_scope') throw new McpError('unauthorized');
    for (let isRetry = false; ; isRetry = true) {
      const grant = await this.#grant();
      const isNewer = headersOf(grant).Authorization !== refusal.sent.Authorization;
      if (grant !== undefined && isNewer) return;
      const isAlone = refusal.isBackground === true && !this.#signIns.isRunning;
      const work = isAlone ? this.#silent : this.#signIns;
      const isJoined = work.isRunning && refusal.isBackground !== true;
      try {
        return await work.run((ending) => this.#answer(refusal, challenge, grant, ending), token);
      } catch (error) {
        // The sign-in may have started before the user could be asked; this request may ask.
        if (!isJoined || isRetry || !isMcpError(error, 'signInNeeded')) throw error;
      }
    }
  }

  /** @throws {McpError} signInNeeded | signInFailed | scopeRefused | unauthorized | cancelled */
  async #answer(
    refusal: Refusal,
    challenge: BearerChallenge | undefined,
    grant: TokenGrant | undefined,
    token: CancellationToken,
  ): Promise<void> {
    const isStepUp = refusal.status === 403 && grant !== undefined;
    if (isStepUp) this.#stepUps.begin(refusal, grant, challenge?.scopes ?? []);
    const made = this.#made;
    const isFresh = refusal.attempt > 0 && made?.isSignIn === true;
    if (!isStepUp && isFresh && made.accessToken === grant?.accessToken) {
      throw new McpError('signInFailed', {
        signInStep: 'use',
        issuer: grant.issuer,
        detail: challenge?.errorDescription ?? challenge?.error ?? 'HTTP status 401',
      });
    }
    const isSilent = refusal.isBackground === true && !this.#mayWork(grant);
    if (isSilent) throw new McpError('signInNeeded');
    const { url, rules, configuration } = this.#context;
    const http = new AuthHttp(rules, token);
    const hasClient = configuration.clientId !== undefined;
    const discovery = await discover(url, challenge, http, rules, hasClient);
    if (!isStepUp && grant !== undefined) {
      const renewed = await this.#renewed(grant, discovery, refusal.attempt, token);
      if (renewed) return;
    }
    if (refusal.isBackground === true && !isWithoutPerson(this.#context.configuration)) {
      throw new McpError('signInNeeded');
    }
    await this.#signIn(refusal, challenge, discovery, token, isStepUp);
  }

  async #signIn(
    { operation }: Refusal,
    challenge: BearerChallenge | undefined,
    discovery: Discovery,
    token: CancellationToken,
    isStepUp: boolean,
  ): Promise<void> {
    const before = (await this.#grant()) ?? this.#lost;
    const wish = { discovery, challenge, before, ...(isStepUp ? { stepUpFor: operation } : {}) };
    const grant = await signInRound(this.#context, wish, token);
    if (!isStepUp) this.#stepUps.forget();
    this.#note(grant, true);
    this.#log.info(`signed in at ${grant.issuer}: ${grant.askedScopes.join(' ') || 'no scopes'}`);
  }

  /** True if a new token can be obtained without asking the user. */
  #mayWork(grant: TokenGrant | undefined): boolean {
    return grant?.refreshToken !== undefined || isWithoutPerson(this.#context.configuration);
  }

  /**
   * Returns the stored grant if it was issued for this server. Runs before each request, so
   * it has to be fast.
   */
  async #grant(): Promise<TokenGrant | undefined> {
    const { store, serverUrl, url } = this.#context;
    const grant = await store.grant(serverUrl);
    return grant !== undefined && coversServer(grant.resource, url) ? grant : undefined;
  }

  /**
   * Refreshes at the authorization server if it is still named, once per chain of refusals.
   */
  async #renewed(
    grant: TokenGrant,
    { issuers, resource }: Discovery,
    attempt: number,
    token: CancellationToken,
  ): Promise<boolean> {
    const isNamed = issuers.some((issuer) => isSameIssuer(issuer, grant.issuer));
    const isSame = isNamed && grant.resource === resource;
    const isTried = attempt > 0 && this.#made?.accessToken === grant.accessToken;
    if (!isSame) this.#lost = grant;
    if (!isSame || isTried || grant.refreshToken === undefined) return false;
    return (await this.#refresh(grant, token)) !== undefined;
  }

  /** Keeps using a token that is about to expire if the refresh fails. */
  async #renewedEarly(
    grant: TokenGrant,
    token: CancellationToken | undefined,
  ): Promise<TokenGrant | undefined> {
    try {
      return await this.#refresh(grant, token);
    } catch (error) {
      const { code, message } = toMcpError(error);
      if (code === 'cancelled') throw error;
      this.#log.warn(`the sign-in could not be renewed: ${message}`);
      return grant;
    }
  }

  #refresh(grant: TokenGrant, token?: CancellationToken): Promise<TokenGrant | undefined> {
    return this.#refreshes.run(async (ending) => {
      const { store, serverUrl, configuration, rules } = this.#context;
      const client = clientOfGrant(grant, await store.registration(grant.issuer), configuration);
      const { issuer, tokenEndpoint, resource } = grant;
      const { omitResource, privateKey } = configuration;
      const source = {
        issuer,
        tokenEndpoint,
        client,
        resource: omitResource === true ? undefined : resource,
        ...(privateKey === undefined ? {} : { privateKey }),
      };
      const tokens = new TokenRequests(new AuthHttp(rules, ending), store);
      const renewed = await refreshGrant({ serverUrl, store, tokens, source }, grant);
      if (renewed === undefined) this.#lost = grant;
      else this.#note(renewed, false);
      return renewed;
    }, token);
  }

  #isDue({ accessToken, expiresAt, refreshToken }: TokenGrant): boolean {
    if (expiresAt === undefined || refreshToken === undefined) return false;
    const made = this.#made?.accessToken === accessToken ? this.#made : undefined;
    return Date.now() >= Math.min(made?.renewAt ?? expiresAt - earlyMs, expiresAt);
  }

  #note({ accessToken, expiresAt = Infinity }: TokenGrant, isSignIn: boolean): void {
    const leftMs = expiresAt - Date.now();
    const renewAt = expiresAt - Math.min(earlyMs, leftMs / 4);
    this.#made = { accessToken, renewAt, isSignIn };
  }
}

function headersOf(grant: TokenGrant | undefined): { readonly Authorization?: string } {
  return grant === undefined ? {} : { Authorization: `Bearer ${grant.accessToken}` };
}
