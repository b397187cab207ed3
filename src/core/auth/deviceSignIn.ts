import {
  allowInsecureRequests,
  customFetch,
  deviceAuthorizationRequest,
  processDeviceAuthorizationResponse,
} from 'oauth4webapi';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import { raceCancellation } from '../rpc/cancellation';
import type { AddressRules } from './addressRules';
import { isConnectionFailure, signInFailure } from './authHttp';
import type { AuthHttp } from './authHttp';
import { authenticationOf } from './clientAuthentication';
import type { AuthorizationStore, SignInAgent, SignInQuestion } from './ports';
import type { ServerMetadata } from './serverMetadata';
import { oauthErrorCode, scopeOf, TokenRequests } from './tokenRequests';
import type { TokenAnswer, TokenSource } from './tokenRequests';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
const maxSeconds = 600;
const maxCodeChars = 100;
/** In seconds (RFC 8628, section 3.5). */
const defaultInterval = 5;
const slowDown = 5;

export interface DeviceAttempt {
  readonly server: ServerMetadata;
  readonly source: TokenSource;
  readonly scopes: readonly string[];
  readonly question: SignInQuestion;
}

/**
 * Shows a code for the user to enter on any device and waits until they did (RFC 8628), for at most
 * ten minutes.
 * @throws {McpError} signInFailed | signInNeeded | cancelled
 */
export async function askByDeviceCode(
  attempt: DeviceAttempt,
  agent: SignInAgent,
  store: AuthorizationStore,
  http: AuthHttp,
  rules: AddressRules,
  token?: CancellationToken,
): Promise<TokenAnswer> {
  const { question } = attempt;
  const device = await askForCode(attempt, http);
  store.learnSecret(device.device_code);
  const shown = {
    userCode: device.user_code.slice(0, maxCodeChars),
    verificationUri: rules.checked(device.verification_uri, 'authorization').href,
    ...(device.verification_uri_complete === undefined
      ? {}
      : {
          verificationUriComplete: rules.checked(device.verification_uri_complete, 'authorization')
            .href,
        }),
  };
  const ending = new CancellationTokenSource();
  const done = untilTyped(attempt, device, new TokenRequests(http, store), ending.token);
  try {
    // Closing the message early cancels the sign-in.
    const showing = agent.showDeviceCode?.(question, shown, done, token) ?? Promise.resolve();
    const closed = showing.then(() => done);
    return await raceCancellation(Promise.race([done, closed]), token);
  } finally {
    ending.cancel();
    done.catch(() => undefined);
  }
}

async function askForCode({ server, source, scopes }: DeviceAttempt, http: AuthHttp) {
  const { client, resource, privateKey } = source;
  const known = { client_id: client.clientId };
  const parameters = { ...scopeOf(scopes), ...(resource === undefined ? {} : { resource }) };
  try {
    const authentication = await authenticationOf(client, privateKey);
    const answer = await deviceAuthorizationRequest(server, known, authentication, parameters, {
      [customFetch]: http.fetch('authorization'),
      [allowInsecureRequests]: true,
    });
    return await processDeviceAuthorizationResponse(server, known, answer);
  } catch (error) {
    throw signInFailure(error, 'authorization', server.issuer);
  }
}

/**
 * Polls until the code was entered. The last poll is when the code expires, however long the server
 * asks to wait.
 */
async function untilTyped(
  { source }: DeviceAttempt,
  device: { readonly device_code: string; readonly expires_in: number; readonly interval?: number },
  tokens: TokenRequests,
  token: CancellationToken,
): Promise<TokenAnswer> {
  const endsAt = performance.now() + Math.min(device.expires_in, maxSeconds) * 1_000;
  let interval = Math.max(device.interval ?? defaultInterval, 1);
  for (;;) {
    const leftMs = Math.max(endsAt - performance.now(), 0);
    await pause(Math.min(interval * 1_000, leftMs), token);
    try {
      return await tokens.grant(source, grantType, { device_code: device.device_code });
    } catch (error) {
      const isBroken = isConnectionFailure(error);
      const code = oauthErrorCode(error);
      if (!isBroken && code !== 'authorization_pending' && code !== 'slow_down') throw error;
      if (performance.now() >= endsAt) throw isBroken ? error : tooLate(source);
      if (code === 'slow_down') interval += slowDown;
      // RFC 8628, section 3.5 asks for exponential backoff after connection failures.
      if (isBroken) interval *= 2;
    }
  }
}

function tooLate({ issuer }: TokenSource): McpError {
  const detail = 'the code was not typed in time';
  return new McpError('signInFailed', { signInStep: 'token', issuer, detail });
}

/** @throws {McpError} cancelled */
async function pause(ms: number, token: CancellationToken): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await raceCancellation(passed, token);
  } finally {
    clearTimeout(timer);
  }
}
