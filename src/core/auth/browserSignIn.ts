import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from 'oauth4webapi';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import type { SignInStep } from '../errors';
import { signInFailure } from './oauthErrors';
import type {
  AuthorizationStore,
  ClientRegistration,
  RedirectReceiver,
  SignInAgent,
  SignInQuestion,
} from './ports';
import type { ServerMetadata } from './serverMetadata';
import { scopeOf } from './tokenRequests';

/** One attempt: its secrets are its own, and are gone with it. */
export interface BrowserAttempt {
  readonly server: ServerMetadata;
  readonly client: ClientRegistration;
  /** `undefined`: it is left out. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[];
  /** Whoever the browser is signed in as, it is to be another. */
  readonly isAnotherAccount: boolean;
  readonly receiver: RedirectReceiver;
  readonly question: SignInQuestion;
}

/** An answer that may be redeemed. */
export interface BrowserAnswer {
  readonly parameters: URLSearchParams;
  readonly verifier: string;
}

/**
 * Sends the person to the authorization server, and checks what they come back with before anything
 * of it is used: `state`, `iss` and only then whether it is a refusal.
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

/** Whether the server can be asked in a browser at all. @throws {McpError} signInFailed */
export function checkBrowserUse(server: ServerMetadata): void {
  const { issuer, authorization_endpoint: endpoint } = server;
  if (endpoint === undefined) {
    throw stopped('authorization', issuer, 'it has no authorization endpoint');
  }
  if (server.code_challenge_methods_supported?.includes('S256') === true) return;
  throw stopped('serverMetadata', issuer, 'its metadata does not offer PKCE with S256');
}

/** What the address has in its query stays there. */
async function addressOf(
  attempt: BrowserAttempt,
  verifier: string,
  state: string,
): Promise<string> {
  const { server, client, resource, scopes, receiver } = attempt;
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
    ...(prompts.length === 0 ? {} : { prompt: prompts.join(' ') }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * What the pages shall ask of the person though they need not: several values may go together (OpenID
 * Connect Core 3.1.2.1), and a server that lists what it knows refuses what is not among it.
 */
function promptsOf({ server, scopes, isAnotherAccount }: BrowserAttempt): readonly string[] {
  const known = server.prompt_values_supported;
  const wanted: string[] = [];
  // Unknown to plain OAuth: only where it is listed.
  if (isAnotherAccount && known !== undefined) wanted.push('select_account');
  // OpenID Connect gives offline access to nobody who was not asked.
  if (scopes.includes('offline_access')) wanted.push('consent');
  return wanted.filter((value) => known?.includes(value) !== false);
}

/** Plain strings; an empty one is one, too. Of what came beside it nothing is told. */
function checkIssuer(parameters: URLSearchParams, issuer: string): void {
  const named = parameters.getAll('iss');
  if (named.every((one) => one === issuer)) return;
  throw stopped('answer', issuer, 'the answer is of another authorization server');
}

function stopped(signInStep: SignInStep, issuer: string, detail: string): McpError {
  return new McpError('signInFailed', { signInStep, issuer, detail });
}
