import type { CancellationToken } from 'vscode-jsonrpc/node';
import { isMcpError, McpError, toMcpError } from '../errors';
import type { HttpHeaders } from '../http/httpMessage';
import type {
  AuthorizationRefusal,
  AuthorizedRequest,
  RequestAuthorization,
} from '../http/authorizedExchange';
import type { ConnectionLog } from '../log';
import { AddressRules, AuthHttp } from './authHttp';
import {
  signInChallenge,
  type SignInChallenge,
  discover,
  coversServer,
  type Discovery,
} from './discovery';
import { clientForGrant } from './chooseClient';
import { isSameIssuer } from './serverMetadata';
import { machineGrantHosts, isMachineGrant } from './signInWithoutBrowser';
import type { AuthorizationStore, TokenGrant } from './ports';
import { ProofKey } from './proofKey';
import { SharedWork } from './sharedWork';
import { runSignIn } from './runSignIn';
import type { SignInContext } from './runSignIn';
import { TokenRequests, oauthErrorCode, type TokenAnswer, type TokenSource } from './tokenRequests';

/**
 * A token is renewed this long before it expires, or when a quarter of a shorter lifetime is left.
 */
const earlyMs = 30_000;

export interface OAuthOptions extends Omit<SignInContext, 'url' | 'rules'> {
  readonly log: Pick<ConnectionLog, 'info' | 'warn'>;
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
  /** The key of the grant that was used last, as its text and imported. */
  #key: { readonly text: string; readonly imported: Promise<ProofKey | undefined> } | undefined;
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
    const rules = new AddressRules(url, machineGrantHosts(options.configuration));
    this.#context = { ...rest, url, rules };
    this.#log = log;
  }

  async headers(request: AuthorizedRequest, token?: CancellationToken): Promise<HttpHeaders> {
    const stored = await this.#grant();
    const isDue = stored !== undefined && this.#isDue(stored);
    const grant = isDue ? await this.#renewedEarly(stored, token) : stored;
    if (grant === undefined) return {};
    if (grant.proofKey === undefined) return { Authorization: credentialsOf(grant) };
    return (await this.#keyOf(grant))?.headers(grant.accessToken, request) ?? {};
  }

  async takeNonce(nonce: string, challenges: readonly string[]): Promise<boolean> {
    const grant = await this.#grant();
    const key = grant === undefined ? undefined : await this.#keyOf(grant);
    if (key?.takeNonce(nonce) !== true) return false;
    return (await signInChallenge(challenges))?.error === nonceDemand;
  }

  async refused(refusal: AuthorizationRefusal, token?: CancellationToken): Promise<void> {
    const challenge = await signInChallenge(refusal.challenges);
    const isStepUp = refusal.status === 403;
    // Any other 403 is an ordinary refusal.
    if (isStepUp && challenge?.error !== 'insufficient_scope') throw new McpError('unauthorized');
    for (let isRetry = false; ; isRetry = true) {
      const grant = await this.#grant();
      const isNewer = credentialsOf(grant) !== refusal.sent['Authorization'];
      if (grant !== undefined && isNewer) return;
      // Neither another token nor the user can change that.
      if (grant?.proofKey !== undefined && proofErrors.includes(challenge?.error)) {
        throw useFailure(grant, challenge);
      }
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
    refusal: AuthorizationRefusal,
    challenge: SignInChallenge | undefined,
    grant: TokenGrant | undefined,
    token: CancellationToken,
  ): Promise<void> {
    const isStepUp = refusal.status === 403 && grant !== undefined;
    if (isStepUp) this.#stepUps.begin(refusal, grant, challenge?.scopes ?? []);
    const made = this.#made;
    const isFresh = refusal.attempt > 0 && made?.isSignIn === true;
    if (!isStepUp && isFresh && made.accessToken === grant?.accessToken) {
      throw useFailure(grant, challenge);
    }
    const isSilent = refusal.isBackground === true && !this.#mayWork(grant);
    if (isSilent) throw new McpError('signInNeeded');
    const { url, rules, configuration } = this.#context;
    const http = new AuthHttp(rules, token);
    const hasClient = configuration.clientId !== undefined;
    const discovery = await discover(url, challenge, http, hasClient);
    if (!isStepUp && grant !== undefined) {
      const renewed = await this.#renewed(grant, discovery, refusal.attempt, token);
      if (renewed) return;
    }
    if (refusal.isBackground === true && !isMachineGrant(this.#context.configuration)) {
      throw new McpError('signInNeeded');
    }
    await this.#signIn(refusal, challenge, discovery, token, isStepUp);
  }

  async #signIn(
    { operation }: AuthorizationRefusal,
    challenge: SignInChallenge | undefined,
    discovery: Discovery,
    token: CancellationToken,
    isStepUp: boolean,
  ): Promise<void> {
    const before = (await this.#grant()) ?? this.#lost;
    const request = { discovery, challenge, before, ...(isStepUp ? { stepUpFor: operation } : {}) };
    const grant = await runSignIn(this.#context, request, token);
    if (!isStepUp) this.#stepUps.forget();
    this.#note(grant, true);
    this.#log.info(`signed in at ${grant.issuer}: ${grant.askedScopes.join(' ') || 'no scopes'}`);
  }

  /** True if a new token can be obtained without asking the user. */
  #mayWork(grant: TokenGrant | undefined): boolean {
    return grant?.refreshToken !== undefined || isMachineGrant(this.#context.configuration);
  }

  /**
   * Returns the stored grant if it was issued for this server and its key is readable. Runs
   * before each request, so it has to be fast.
   */
  async #grant(): Promise<TokenGrant | undefined> {
    const { store, serverUrl, url } = this.#context;
    const grant = await store.grant(serverUrl);
    if (grant === undefined || !coversServer(grant.resource, url)) return undefined;
    const isUsable = grant.proofKey === undefined || (await this.#keyOf(grant)) !== undefined;
    return isUsable ? grant : undefined;
  }

  async #keyOf({ proofKey: text }: TokenGrant): Promise<ProofKey | undefined> {
    if (text === undefined) return undefined;
    if (this.#key?.text !== text) this.#key = { text, imported: ProofKey.read(text) };
    return this.#key.imported;
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
      const client = clientForGrant(grant, await store.registration(grant.issuer), configuration);
      const { issuer, tokenEndpoint, resource } = grant;
      const { omitResource, privateKey } = configuration;
      const source = {
        issuer,
        tokenEndpoint,
        client,
        resource: omitResource === true ? undefined : resource,
        proof: await this.#keyOf(grant),
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

/** A token that is bound to a key is never sent as a bearer token (RFC 9449, section 7.1). */
function credentialsOf(grant: TokenGrant): string;
function credentialsOf(grant: TokenGrant | undefined): string | undefined;
function credentialsOf(grant: TokenGrant | undefined): string | undefined {
  if (grant === undefined) return undefined;
  return `${grant.proofKey === undefined ? 'Bearer' : 'DPoP'} ${grant.accessToken}`;
}

const nonceDemand = 'use_dpop_nonce';
/** Errors of a challenge that concern the proof, and not the token. */
const proofErrors: readonly (string | undefined)[] = [nonceDemand, 'invalid_dpop_proof'];

function useFailure({ issuer }: TokenGrant, challenge: SignInChallenge | undefined): McpError {
  const detail = challenge?.errorDescription ?? challenge?.error ?? 'HTTP status 401';
  return new McpError('signInFailed', { signInStep: 'use', issuer, detail });
}

/** Error codes after which a retry is pointless. */
const finalCodes: readonly (string | undefined)[] = [
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
];

interface Refreshing {
  readonly serverUrl: string;
  readonly store: AuthorizationStore;
  readonly tokens: TokenRequests;
  readonly source: TokenSource;
}

/**
 * Obtains a new access token and stores it before its first use. Returns the grant of another
 * window if that window was faster, and `undefined` if the server refuses the refresh token
 * or the user signed out.
 * @throws {McpError} signInFailed, which drops nothing | cancelled
 */
async function refreshGrant(
  { serverUrl, store, tokens, source }: Refreshing,
  grant: TokenGrant,
): Promise<TokenGrant | undefined> {
  const { issuer, resource } = grant;
  return store.exclusively({ issuer, resource }, async () => {
    const kept = await store.grant(serverUrl);
    if (kept === undefined || kept.accessToken !== grant.accessToken) return kept;
    const { refreshToken } = kept;
    if (refreshToken === undefined) return undefined;
    try {
      const answer = await tokens.refresh(source, refreshToken, kept.askedScopes);
      const renewed = renewedGrant(kept, answer);
      await store.keepGrant(serverUrl, renewed);
      return renewed;
    } catch (error) {
      const code = oauthErrorCode(error);
      if (!finalCodes.includes(code)) throw error;
      // A window whose turn timed out may still have renewed the grant.
      const newer = await store.grant(serverUrl);
      if (newer !== undefined && newer.accessToken !== kept.accessToken) return newer;
      await store.dropGrant(serverUrl, kept);
      if (code === 'invalid_client') await store.forgetRegistration(issuer);
      return undefined;
    }
  });
}

/** Values that the answer omits stay unchanged; a new refresh token replaces the old one. */
function renewedGrant(before: TokenGrant, answer: TokenAnswer): TokenGrant {
  const { expiresAt: _, ...rest } = before;
  const { accessToken, refreshToken, expiresAt, grantedScopes } = answer;
  return {
    ...rest,
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(grantedScopes === undefined ? {} : { grantedScopes }),
  };
}

/** Limits the authorizations for one request, the first one included. */
const maxAuthorizations = 3;
const maxRemembered = 1_000;

/** Remembers which scopes were requested without success. */
class StepUps {
  readonly #asked = new Set<string>();
  readonly #failed = new Set<string>();

  /**
   * Records a step-up. Scopes that were granted and are still demanded for the same operation are
   * not requested again.
   * @throws {McpError} scopeRefused
   */
  begin(
    { operation, attempt }: AuthorizationRefusal,
    { account, issuer }: TokenGrant,
    scopes: readonly string[],
  ): void {
    const key = JSON.stringify([operation, issuer, account, scopes.toSorted()]);
    const isInVain = attempt > 0 && this.#asked.has(key);
    if (isInVain) this.#remember(this.#failed, key);
    if (this.#failed.has(key) || attempt >= maxAuthorizations) {
      throw new McpError('scopeRefused', { scopes, issuer });
    }
    this.#remember(this.#asked, key);
  }

  /** Called after a new sign-in, which may grant other scopes. */
  forget(): void {
    this.#asked.clear();
    this.#failed.clear();
  }

  #remember(keys: Set<string>, key: string): void {
    if (keys.size >= maxRemembered) keys.clear();
    keys.add(key);
  }
}
