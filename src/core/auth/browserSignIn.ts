import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from 'oauth4webapi';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import type { SignInStep } from '../errors';
import { signInFailure } from './authHttp';
import type {
  AuthorizationStore,
  ClientRegistration,
  RedirectReceiver,
  SignInAgent,
  SignInQuestion,
} from './ports';
import type { ProofKey } from './proofKey';
import type { ServerMetadata } from './serverMetadata';
import { scopeOf } from './tokenRequests';

/** One attempt to sign in. Its secrets are used for no other attempt. */
export interface BrowserAttempt {
  readonly server: ServerMetadata;
  readonly client: ClientRegistration;
  /** `undefined` if the parameter is omitted. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
  /** True to sign in with another account than the one that the browser uses now. */
  readonly isAnotherAccount: boolean;
  readonly receiver: RedirectReceiver;
  readonly question: SignInQuestion;
  /** The code is of use only with a proof of this key. */
  readonly proof: ProofKey | undefined;
}

/** A checked answer whose code may be redeemed. */
export interface BrowserAnswer {
  readonly parameters: URLSearchParams;
  readonly verifier: string;
}

/**
 * Opens the authorization server in the browser and checks the answer before using any of it: first
 * `state`, then `iss`, and only then whether it is a refusal.
 * @throws {McpError} signInFailed | signInNeeded | cancelled
 */
export async function askInBrowser(
  attempt: BrowserAttempt,
  agent: Pick<SignInAgent, 'authorize'>,
  store: Pick<AuthorizationStore, 'learnSecret'>,
  token?: CancellationToken,
): Promise<BrowserAnswer> {
  const { server, client, receiver, question } = attempt;
  const verifier = generateRandomCodeVerifier();
  store.learnSecret(verifier);
  const state = generateRandomState();
  const address = await addressOf(attempt, verifier, state);
  const url = await agent.authorize(question, { address, state, receiver }, token);
  const parameters = new URLSearchParams(url.searchParams);
  for (const code of parameters.getAll('code')) if (code !== '') store.learnSecret(code);
  checkIssuer(parameters, server.issuer);
  try {
    const known = { client_id: client.clientId };
    const checked = validateAuthResponse(server, known, parameters, state);
    if (parameters.getAll('code').length === 1) return { parameters: checked, verifier };
  } catch (error) {
    throw signInFailure(error, 'answer', server.issuer);
  }
  throw stopped('answer', server.issuer, 'the answer has no code, or several');
}

/**
 * Checks that the server supports a sign-in in the browser. @throws {McpError} signInFailed
 */
export function checkBrowserSupport(server: ServerMetadata): void {
  const { issuer, authorization_endpoint: endpoint } = server;
  if (endpoint === undefined) {
    throw stopped('authorization', issuer, 'it has no authorization endpoint');
  }
  if (server.code_challenge_methods_supported?.includes('S256') === true) return;
  throw stopped('serverMetadata', issuer, 'its metadata does not offer PKCE with S256');
}

/** Builds the address to open. Parameters that the endpoint's address already has stay in it. */
async function addressOf(
  attempt: BrowserAttempt,
  verifier: string,
  state: string,
): Promise<string> {
  const { server, client, resource, scopes, receiver, proof } = attempt;
  const url = new URL(server.authorization_endpoint ?? '');
  const prompts = promptsOf(attempt);
  const parameters = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: receiver.address,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...scopeOf(scopes),
    ...(resource === undefined ? {} : { resource }),
    ...(proof === undefined ? {} : { dpop_jkt: await proof.handle.calculateThumbprint() }),
    ...(prompts.length === 0 ? {} : { prompt: prompts.join(' ') }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * Returns the values of `prompt`. Several values may be combined (OpenID Connect Core 3.1.2.1). A
 * server that lists the values it supports refuses all others.
 */
function promptsOf({ server, scopes, isAnotherAccount }: BrowserAttempt): readonly string[] {
  const known = server.prompt_values_supported;
  const wanted: string[] = [];
  // Plain OAuth does not know this value, so it is sent only if the server lists it.
  if (isAnotherAccount && known !== undefined) wanted.push('select_account');
  // OpenID Connect grants offline access only after asking for consent.
  if (scopes.includes('offline_access')) wanted.push('consent');
  return wanted.filter((value) => known?.includes(value) !== false);
}

/**
 * Compares plain strings; an empty one is a value too. The error quotes nothing of a
 * wrong answer.
 */
function checkIssuer(parameters: URLSearchParams, issuer: string): void {
  const named = parameters.getAll('iss');
  if (named.every((one) => one === issuer)) return;
  throw stopped('answer', issuer, 'the answer is of another authorization server');
}

function stopped(signInStep: SignInStep, issuer: string, detail: string): McpError {
  return new McpError('signInFailed', { signInStep, issuer, detail });
}
