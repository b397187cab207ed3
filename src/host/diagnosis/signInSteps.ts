import { CancellationToken } from 'vscode-jsonrpc/node';
import { AddressRules } from '../../core/auth/addressRules';
import { AuthHttp } from '../../core/auth/authHttp';
import { signInChallenge } from '../../core/auth/challenges';
import { type Discovery, discover } from '../../core/auth/discovery';
import type { AuthorizationStore, RequestAuthorization } from '../../core/auth/ports';
import type { ServerMetadata } from '../../core/auth/serverMetadata';
import { isMcpError, McpError, toMcpError } from '../../core/errors';
import { shownAccount } from '../authorization/signInState';
import type { HttpServerTransport } from '../configuration/serverConfig';
import type { FirstAnswer } from './httpSteps';
import type { ClientSource, SignInStepName, StepFact, Steps } from './steps';

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
  const rules = new AddressRules(url, oauth.allowedHosts);
  const discovery = await step(steps, 'signInPlace', async () => {
    const http = new AuthHttp(rules, token);
    const challenge = await signInChallenge(challenges);
    const hasClient = oauth.clientId !== undefined;
    const discovering = discover(url, challenge, http, rules, hasClient);
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
