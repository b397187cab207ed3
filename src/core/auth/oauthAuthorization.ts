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

/** Before its end a token is renewed; of one that lasts shorter a quarter of its life. */
const earlyMs = 30_000;

export interface OAuthOptions {
  /** As configured: `http:` or `https:`. */
  readonly serverUrl: string;
  readonly configuration: OAuthConfiguration;
  readonly store: AuthorizationStore;
  readonly agent: SignInAgent;
  /** As which the product registers, and what a person reads at the authorization server. */
  readonly description: ClientDescription;
  readonly log: Pick<ConnectionLog, 'info' | 'warn'>;
  /** Whether another account is to sign in than whoever did so last; absent: never. */
  readonly wantsAnother?: () => boolean;
}

/**
 * MCP authorization for one server: one sign-in and one refresh at a time, whoever waits for it. Tokens
 * are in the store and nowhere else, and go to the server they were given for.
 *
 * Spec: 2026-07-28 basic/authorization; of older revisions what `discovery.ts` does for them.
 */
export class OAuthAuthorization implements RequestAuthorization {
  readonly #context: SignInContext;
  readonly #log: OAuthOptions['log'];
  readonly #signIns = new SharedWork<void>();
  /** For requests that nobody waits for: they join a sign-in, and no sign-in ends with them. */
  readonly #silent = new SharedWork<void>();
  readonly #refreshes = new SharedWork<TokenGrant | undefined>();
  readonly #stepUps = new StepUps();
  /** The grant that this made last, and when it is to be renewed. */
  #made: { readonly accessToken: string; readonly renewAt: number; isSignIn: boolean } | undefined;
  /** What does not count any more: the same person is asked for, and a changed server is told. */
  #lost: TokenGrant | undefined;

  /** @throws {TypeError} where `serverUrl` is no address */
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
    // A refusal like any other.
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
        // The work may have begun before the user could be asked; this request may ask.
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

  /** Whether something can be done for the grant that asks nobody. */
  #mayWork(grant: TokenGrant | undefined): boolean {
    return grant?.refreshToken !== undefined || isWithoutPerson(this.#context.configuration);
  }

  /** The grant that counts, if it is for this server. Quick: the store is asked each time. */
  async #grant(): Promise<TokenGrant | undefined> {
    const { store, serverUrl, url } = this.#context;
    const grant = await store.grant(serverUrl);
    return grant !== undefined && coversServer(grant.resource, url) ? grant : undefined;
  }

  /** Refreshes at the server that is still named, once in a chain of refusals. */
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

  /** One that is only about to expire still serves when the refresh does not work out now. */
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
