import { CancellationToken } from 'vscode-jsonrpc/node';
import type { ClientInfo } from '../../core/eras/era';
import { McpError, type McpErrorFacts, isMcpError, toMcpError } from '../../core/errors';
import { type HttpProbe, probeHttp, probeProxy, type Proxy } from '../../core/http/probeHttp';
import type { HttpServerTransport } from '../configuration/serverConfig';
import type { Steps, ClientSource, SignInStepName, StepFact } from './steps';
import { AddressRules, AuthHttp } from '../../core/auth/authHttp';
import { signInChallenge, type Discovery, discover } from '../../core/auth/discovery';
import type { AuthorizationStore, RequestAuthorization } from '../../core/auth/ports';
import type { ServerMetadata } from '../../core/auth/serverMetadata';
import { shownAccount } from '../authorization/signInTiming';

export interface HttpStepsOptions {
  readonly clientInfo: ClientInfo;
  /** Returns the proxy for an address. */
  readonly proxyOf: (url: string) => Proxy | undefined;
  readonly timeoutMs: number;
  /** True if a sign-in is possible, so that requiring it is no failure. */
  readonly hasSignIn: boolean;
}

/** Status of a proxy that requires authentication. */
const proxySignIn = 407;

/** The meaning of the first answer for the remaining steps. */
interface FirstAnswer {
  /** Called once it is known whether the status is a failure. */
  readonly judgeStatus: (error?: McpError) => void;
  /** Set if the server requires a sign-in: its challenges and its other headers. */
  readonly demand?: { readonly challenges: readonly string[]; readonly facts: McpErrorFacts };
}

/**
 * Performs the steps from the address to the headers of the first answer.
 * @throws {McpError} why the server cannot be asked for more
 */
export async function diagnoseHttp(
  { url: address, headers }: HttpServerTransport,
  steps: Steps,
  { clientInfo, proxyOf, timeoutMs, hasSignIn }: HttpStepsOptions,
  token: CancellationToken | undefined,
): Promise<FirstAnswer> {
  const url = new URL(address);
  const place = { kind: 'address', host: url.host === '' ? url.pathname : url.host } as const;
  const proxy = proxyOf(address);
  const via = { kind: 'proxy', ...(proxy && { address: new URL(proxy.url).host }) } as const;
  const proxyFailed = (error: McpError, status?: number): never => {
    steps.skip('address', place);
    steps.fail('proxy', error, { ...via, ...(status === undefined ? {} : { status }) });
    throw error;
  };
  steps.begin('proxy');
  if (proxy === undefined) {
    steps.pass('proxy', via);
  } else {
    const { error, status = 200 } = await probeProxy(proxy, url, timeoutMs, token);
    if (error !== undefined) proxyFailed(error);
    if (status !== 200) proxyFailed(new McpError('unreachable', { httpStatus: status }), status);
  }
  steps.begin('address');
  const look = await probeHttp(address, headers, { clientInfo, timeoutMs }, token);
  // Unencrypted requests have no tunnel, so the proxy itself answers them.
  if (look.status === proxySignIn) {
    proxyFailed(new McpError('unreachable', { httpStatus: proxySignIn }), proxySignIn);
  }
  steps.pass('proxy', via);
  if (look.error?.code === 'unreachable') throw look.error;
  // With a proxy, the connected address is that of the proxy.
  const ip = look.address === undefined || proxy !== undefined ? {} : { ip: look.address };
  steps.pass('address', { ...place, ...ip });
  judgeTls(url, look, steps);
  if (look.error !== undefined && look.error.code !== 'connectionLost') {
    steps.fail('status', look.error);
    throw look.error;
  }
  return judgeAnswer(look, steps, hasSignIn);
}

/** @throws {McpError} tlsError */
function judgeTls({ protocol, hostname }: URL, look: HttpProbe, steps: Steps): void {
  const { error, tls, tlsTrouble: trouble = 'other', certificate } = look;
  if (protocol !== 'https:') steps.skip('tls', { kind: 'notEncrypted' });
  else if (tls !== undefined) steps.pass('tls', { kind: 'tls', ...tls });
  if (error?.code !== 'tlsError') return;
  const shown = certificate === undefined ? {} : { certificate };
  steps.fail('tls', error, { kind: 'tlsTrouble', trouble, host: hostname, ...shown });
  throw error;
}

/** @throws {McpError} unauthorized */
function judgeAnswer(look: HttpProbe, steps: Steps, hasSignIn: boolean): FirstAnswer {
  const { status = 0, contentType = '', challenge, refusal = {}, error: broken } = look;
  const demandsSignIn = hasSignIn && status === 401;
  const isRefused = (status === 401 || status === 403) && !demandsSignIn;
  // Older servers refuse the probe with various statuses; only these are failures.
  const isBad = isRefused || (status >= 300 && status < 400);
  // Only the handshake shows whether these are failures.
  const isDoubtful = broken !== undefined || status >= 500 || status === 404;
  const error = new McpError(isRefused ? 'unauthorized' : 'httpError', {
    ...refusal,
    httpStatus: status,
  });
  const facts = broken === undefined ? [{ kind: 'status', status } as const] : [];
  if (isDoubtful) steps.begin('status');
  else if (isBad) steps.fail('status', error, ...facts);
  else steps.pass('status', ...facts);

  const isMcp = /^(?:application\/json|text\/event-stream)\b/i.test(contentType);
  const type = { kind: 'text', text: contentType } as const;
  const notMcp = new McpError('unexpectedContentType', { detail: contentType });
  if (isMcp) steps.pass('contentType', type);
  else if (status === 200) steps.fail('contentType', notMcp, type);
  else steps.skip('contentType', type);

  if (broken !== undefined) steps.skip('challenge');
  else if (challenge === undefined) steps.pass('challenge');
  else if (demandsSignIn) steps.pass('challenge', { kind: 'text', text: challenge });
  else steps.fail('challenge', error, { kind: 'text', text: challenge });
  // Every other request would be refused in the same way.
  if (isRefused) throw error;
  const judgeStatus = (failure?: McpError): void => {
    if (failure === undefined) steps.pass('status', ...facts);
    else steps.fail('status', failure, ...facts);
  };
  const challenges = challenge === undefined ? [] : [challenge];
  return demandsSignIn ? { judgeStatus, demand: { challenges, facts: refusal } } : { judgeStatus };
}

/** The sign-in at the diagnosed server. */
export interface DiagnosedSignIn {
  readonly store: AuthorizationStore;
  /** Returns the redirect address. It is not left listening. */
  readonly redirectAddress: () => Promise<string>;
  /** Uses stored grants only, and never asks the user. */
  readonly authorization: RequestAuthorization;
  /** The user's client id metadata document, if there is one. */
  readonly clientDocument?: string;
}

/**
 * Checks each step of a sign-in without starting one: nothing is registered and nothing is opened.
 * @throws {McpError} signInNeeded if no account is signed in | unauthorized if the server has no
 * sign-in | signInFailed | cancelled
 */
export async function diagnoseSignIn(
  { url: address, oauth = {} }: HttpServerTransport,
  { challenges, facts }: NonNullable<FirstAnswer['demand']>,
  { store, redirectAddress, clientDocument }: DiagnosedSignIn,
  steps: Steps,
  token: CancellationToken = CancellationToken.None,
): Promise<void> {
  steps.add(['signInPlace', 'signInServer', 'clientId', 'redirect', 'account'], 'challenge');
  const url = new URL(address);
  const rules = new AddressRules(url);
  const discovery = await step(steps, 'signInPlace', async () => {
    const http = new AuthHttp(rules, token);
    const challenge = await signInChallenge(challenges);
    const hasClient = oauth.clientId !== undefined;
    const discovering = discover(url, challenge, http, hasClient);
    const found = await discovering.catch((error: unknown) => {
      if (!isMcpError(error, 'unauthorized')) throw error;
      throw new McpError('unauthorized', { ...facts, ...error.facts });
    });
    const { resource, issuers } = found;
    return [found, { kind: 'signInPlace', resource, issuers }];
  });
  const server = await step(steps, 'signInServer', () => describe(discovery));
  await step(steps, 'clientId', async () => {
    const stored = await store.registration(server.issuer);
    const way =
      oauth.clientId === undefined ? (stored?.from ?? wayAt(server, clientDocument)) : 'configured';
    return [undefined, { kind: 'clientId', way }];
  });
  await step(steps, 'redirect', async () => [
    undefined,
    { kind: 'text', text: await redirectAddress() },
  ]);
  await step(steps, 'account', async () => {
    const grant = await store.grant(address);
    if (grant === undefined) throw new McpError('signInNeeded', { issuer: server.issuer });
    return [undefined, { kind: 'account', account: shownAccount(grant) }];
  });
}

/** Runs one step, which passes with its facts or ends the walk. */
async function step<T>(
  steps: Steps,
  name: SignInStepName,
  work: () => Promise<readonly [T, StepFact]>,
): Promise<T> {
  steps.begin(name);
  try {
    const [result, fact] = await work();
    steps.pass(name, fact);
    return result;
  } catch (thrown) {
    const error = toMcpError(thrown);
    steps.fail(name, error);
    throw error;
  }
}

/** Describes the first of several authorization servers; the user chooses when signing in. */
async function describe(discovery: Discovery): Promise<readonly [ServerMetadata, StepFact]> {
  const server = await discovery.metadataOf(discovery.issuers[0] ?? '');
  const { issuer, revocation_endpoint: revocation } = server;
  const { authorization_endpoint: page, device_authorization_endpoint: device } = server;
  const isByCode = page === undefined && device !== undefined;
  const hasPkce = server.code_challenge_methods_supported?.includes('S256') === true;
  if (!hasPkce && !isByCode) {
    const detail = 'its metadata does not offer PKCE with S256';
    throw new McpError('signInFailed', { signInStep: 'serverMetadata', issuer, detail });
  }
  const namesItself = server.authorization_response_iss_parameter_supported === true;
  const revokes = revocation !== undefined;
  return [server, { kind: 'signInServer', issuer, isByCode, namesItself, revokes }];
}

function wayAt(server: ServerMetadata, clientDocument: string | undefined): ClientSource {
  const takesDocument = server.client_id_metadata_document_supported === true;
  if (takesDocument && clientDocument !== undefined) return 'document';
  return server.registration_endpoint === undefined ? 'entered' : 'register';
}
