import { randomUUID } from 'node:crypto';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { isMcpError, McpError } from '../errors';
import { type AddressRules, AuthHttp } from './authHttp';
import { askInBrowser, checkBrowserSupport } from './browserSignIn';
import { type SignInChallenge, chosenIssuer, type Discovery } from './discovery';
import { chooseClient, type ClientDescription } from './chooseClient';
import { askByDeviceCode, requestMachineGrant, isMachineGrant } from './signInWithoutBrowser';
import type {
  AuthorizationStore,
  ClientRegistration,
  OAuthConfiguration,
  RedirectReceiver,
  SignInAgent,
  SignInQuestion,
  TokenGrant,
} from './ports';
import { proofAlgorithm, ProofKey } from './proofKey';
import type { ServerMetadata } from './serverMetadata';
import { oauthErrorCode, TokenRequests, tokenSource } from './tokenRequests';
import type { TokenAnswer, TokenSource } from './tokenRequests';

/** The parts that all sign-ins at one server share. */
export interface SignInContext {
  /** The configured `http:` or `https:` address: the user sees it, and it is the store's key. */
  readonly serverUrl: string;
  readonly url: URL;
  readonly configuration: OAuthConfiguration;
  readonly store: AuthorizationStore;
  readonly agent: SignInAgent;
  /** Describes the product in registrations and on the pages of authorization servers. */
  readonly description: ClientDescription;
  readonly rules: AddressRules;
  /** Returns true to sign in with another account than last time. Defaults to false. */
  readonly wantsAnother?: () => boolean;
}

export interface SignInRequest {
  readonly discovery: Discovery;
  readonly challenge: SignInChallenge | undefined;
  /** The previous grant, even if it is no longer valid. */
  readonly before: TokenGrant | undefined;
  /** The operation that needs more scopes. Absent unless this is a step-up. */
  readonly stepUpFor?: string;
}

interface Asked {
  readonly client: ClientRegistration;
  readonly answer: TokenAnswer;
}

/**
 * Performs one sign-in, from the choice of the authorization server to a stored grant.
 * @throws {McpError} signInFailed | signInNeeded | cancelled
 */
export async function runSignIn(
  context: SignInContext,
  request: SignInRequest,
  token?: CancellationToken,
): Promise<TokenGrant> {
  const { agent, configuration, store, serverUrl } = context;
  const { discovery, before, challenge, stepUpFor } = request;
  const choose = (issuers: readonly string[]) => agent.chooseIssuer(serverUrl, issuers, token);
  const issuer = await chosenIssuer(discovery, before?.issuer, choose);
  const server = await discovery.metadataOf(issuer);
  const isSame = before?.issuer === server.issuer;
  const scopes = chooseScopes({
    challenge,
    server,
    configuration,
    listed: discovery.scopes,
    askedBefore: isSame ? before.askedScopes : [],
    isStepUp: stepUpFor !== undefined && isSame,
  });
  const proof = needsProof(request, server)
    ? await ProofKey.generate((key) => store.learnSecret(key))
    : undefined;
  const round = new Round(context, request, server, scopes, proof, token);
  const { client, answer } = await round.ask();
  const grant = toGrant(round, client, answer);
  await store.keepGrant(serverUrl, grant);
  return grant;
}

/** The state that the steps of one sign-in share. */
class Round {
  readonly http: AuthHttp;
  readonly isAnotherAccount: boolean;

  constructor(
    readonly context: SignInContext,
    readonly request: SignInRequest,
    readonly server: ServerMetadata,
    readonly scopes: readonly string[],
    readonly proof: ProofKey | undefined,
    readonly token: CancellationToken | undefined,
  ) {
    this.http = new AuthHttp(context.rules, token);
    this.isAnotherAccount = context.wantsAnother?.() === true;
  }

  /** Omitted if the configuration says that the server refuses it. */
  get resource(): string | undefined {
    const isLeftOut = this.context.configuration.omitResource === true;
    return isLeftOut ? undefined : this.request.discovery.resource;
  }

  /** Registers again, once, if the server has forgotten the client. */
  async ask(): Promise<Asked> {
    const { context, server, scopes, http, resource, proof } = this;
    const { configuration, store } = context;
    if (isMachineGrant(configuration)) {
      return requestMachineGrant({ server, resource, scopes, configuration, store, http, proof });
    }
    try {
      return await this.#askPerson();
    } catch (error) {
      const stored = await store.registration(server.issuer);
      if (oauthErrorCode(error) !== 'invalid_client' || stored?.from !== 'registered') throw error;
      await store.forgetRegistration(server.issuer);
      return this.#askPerson();
    }
  }

  async #askPerson(): Promise<Asked> {
    const receiver = await this.#receiver();
    if (receiver === undefined) return this.#askByDevice();
    try {
      checkBrowserSupport(this.server);
      const { context, server, resource, scopes, isAnotherAccount, proof } = this;
      const client = await this.#client(receiver.address);
      const question = this.#question(client);
      const rest = { resource, scopes, isAnotherAccount, receiver, question, proof };
      const attempt = { server, client, ...rest };
      const { agent, store } = context;
      const { parameters, verifier } = await askInBrowser(attempt, agent, store, this.token);
      const tokens = new TokenRequests(this.http, store);
      const source = this.#source(client);
      const answer = await tokens.redeemCode(source, parameters, receiver.address, verifier);
      return { client, answer };
    } finally {
      receiver.dispose();
    }
  }

  async #askByDevice(): Promise<Asked> {
    const client = await this.#client(undefined);
    const { server, scopes, http, token } = this;
    const { agent, store } = this.context;
    const question = this.#question(client);
    const source = this.#source(client);
    const device = { server, source, scopes, question };
    return { client, answer: await askByDeviceCode(device, agent, store, http, token) };
  }

  /**
   * Returns `undefined` to use a device code: if the server has no authorization page, or if no
   * browser can redirect to this machine.
   */
  async #receiver(): Promise<RedirectReceiver | undefined> {
    const { agent, store, configuration } = this.context;
    const { authorization_endpoint: page, device_authorization_endpoint: device } = this.server;
    const isPossible = device !== undefined && agent.showDeviceCode !== undefined;
    if (isPossible && page === undefined) {
      agent.checkAsked?.();
      return undefined;
    }
    const stored = await store.registration(this.server.issuer);
    const address = stored?.redirectAddress;
    const registered = address === undefined ? Number.NaN : Number(new URL(address).port);
    const port = configuration.redirectPort ?? (registered > 0 ? registered : undefined);
    try {
      return await agent.receiver(port);
    } catch (error) {
      if (isPossible && isMcpError(error, 'unsupportedFeature')) return undefined;
      throw error;
    }
  }

  #client(redirectAddress: string | undefined): Promise<ClientRegistration> {
    const { server, http, request, token } = this;
    const { configuration, store, agent, description } = this.context;
    const former = request.before?.issuer;
    const formerIssuer = former === server.issuer ? undefined : former;
    const rest = { configuration, description, store, agent, http };
    return chooseClient({ server, redirectAddress, formerIssuer, ...rest }, token);
  }

  #source(client: ClientRegistration): TokenSource {
    const { server, resource, proof } = this;
    const { configuration } = this.context;
    return tokenSource({ server, resource, proof, configuration }, client);
  }

  #question(client: ClientRegistration): SignInQuestion {
    const { server, scopes } = this;
    const { discovery, before, stepUpFor } = this.request;
    const isChanged = before !== undefined && before.issuer !== server.issuer;
    const asked = isChanged ? [] : (before?.askedScopes ?? []);
    const endpoint = server.authorization_endpoint ?? server.device_authorization_endpoint;
    return {
      serverUrl: this.context.serverUrl,
      issuer: server.issuer,
      authorizationOrigin: new URL(endpoint ?? server.issuer).origin,
      resource: discovery.resource,
      scopes,
      reason: isChanged
        ? 'changedServer'
        : stepUpFor !== undefined
          ? 'stepUp'
          : before === undefined
            ? 'first'
            : 'again',
      addedScopes: stepUpFor === undefined ? [] : scopes.filter((scope) => !asked.includes(scope)),
      ...(stepUpFor === undefined ? {} : { operation: stepUpFor }),
      ...(isChanged ? { formerIssuer: before.issuer } : {}),
      client: client.from,
    };
  }
}

function toGrant(
  { server, scopes, request, isAnotherAccount, proof }: Round,
  client: ClientRegistration,
  answer: TokenAnswer,
): TokenGrant {
  const { before, discovery } = request;
  const isSame =
    !isAnotherAccount && before?.issuer === server.issuer && before.resource === discovery.resource;
  const { person, ...tokens } = answer;
  const revocation = server.revocation_endpoint;
  // A repeated sign-in counts as the same account unless the server says otherwise.
  const account = person?.subject ?? (isSame ? before.account : randomUUID());
  const label = person?.name ?? (isSame ? before.accountLabel : '');
  return {
    issuer: server.issuer,
    resource: discovery.resource,
    account,
    accountLabel: label,
    ...tokens,
    ...(proof === undefined ? {} : { proofKey: proof.text }),
    askedScopes: scopes,
    clientId: client.clientId,
    tokenEndpoint: server.token_endpoint,
    ...(revocation === undefined ? {} : { revocationEndpoint: revocation }),
  };
}

/**
 * True if the tokens have to be bound to a key: because the server takes no others, because it
 * offers that and the authorization server can do it, or because those of the account were, which a
 * server cannot take back.
 * @throws {McpError} signInFailed if the authorization server takes no proofs of our algorithm
 */
function needsProof({ discovery, challenge, before }: SignInRequest, server: ServerMetadata) {
  const algorithms = server.dpop_signing_alg_values_supported;
  const isPossible = algorithms?.includes(proofAlgorithm) === true;
  const wasBound = before?.proofKey !== undefined && before.issuer === server.issuer;
  const isRequired = discovery.requiresProof === true || challenge?.proof === 'required';
  if (!isRequired && !wasBound) return challenge?.proof === 'offered' && isPossible;
  if (isPossible || algorithms === undefined) return true;
  const detail = `it takes no proofs of possession that are signed with ${proofAlgorithm}`;
  throw new McpError('signInFailed', {
    signInStep: 'serverMetadata',
    issuer: server.issuer,
    detail,
  });
}

const offline = 'offline_access';

interface ScopeChoice {
  readonly challenge: SignInChallenge | undefined;
  /** The scopes that the server lists in its resource metadata. */
  readonly listed: readonly string[] | undefined;
  readonly configuration: OAuthConfiguration;
  readonly server: ServerMetadata;
  /** Scopes that were requested before; used in a step-up. */
  readonly askedBefore: readonly string[];
  readonly isStepUp: boolean;
}

/**
 * Chooses the scopes to request: those of the challenge, or else all that the server lists, or else
 * none. A step-up adds those requested before. `offline_access` is added
 * if the authorization server supports it, but never alone, because that would narrow what
 * the server grants by default.
 */
function chooseScopes(choice: ScopeChoice): readonly string[] {
  const { challenge, listed, configuration, server, askedBefore, isStepUp } = choice;
  const challenged = challenge?.scopes;
  const wanted = challenged ?? listed ?? [];
  if (!isStepUp && configuration.scopes !== undefined) return [...new Set(configuration.scopes)];
  const scopes = new Set(isStepUp ? [...askedBefore, ...wanted] : wanted);
  const isMeant = challenged?.includes(offline) === true || askedBefore.includes(offline);
  const isKnown = server.scopes_supported?.includes(offline) === true;
  if (!isMeant) scopes.delete(offline);
  if (isKnown && scopes.size > 0) scopes.add(offline);
  return [...scopes];
}
