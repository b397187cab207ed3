import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import type { AuthHttp } from './authHttp';
import { methodFor } from './clientAuthentication';
import type {
  AuthorizationStore,
  ClientRegistration,
  OAuthConfiguration,
  SignInAgent,
} from './ports';
import { registerClient } from './registerClient';
import type { ClientDescription } from './registerClient';
import type { ServerMetadata } from './serverMetadata';

export interface ClientChoice {
  readonly server: ServerMetadata;
  /** Absent for a device code, which has no redirect. */
  readonly redirectAddress: string | undefined;
  /** The authorization server of the previous sign-in, if it was a different one. */
  readonly formerIssuer: string | undefined;
  readonly configuration: OAuthConfiguration;
  readonly description: ClientDescription;
  readonly store: AuthorizationStore;
  readonly agent: Pick<SignInAgent, 'askForClient'>;
  readonly http: AuthHttp;
}

/**
 * Finds the client registration for this authorization server: configured, stored, a client ID
 * metadata document, registered now, or entered by the user. Never uses one
 * of another authorization server.
 * @throws {McpError} signInFailed | signInNeeded | cancelled
 */
export async function chooseClient(
  choice: ClientChoice,
  token?: CancellationToken,
): Promise<ClientRegistration> {
  const { server, redirectAddress, configuration, store } = choice;
  const configured = await configuredClient(choice);
  if (configured !== undefined) return configured;
  const stored = await store.registration(server.issuer);
  if (stored !== undefined && isUsable(stored, redirectAddress)) return stored;
  const { clientDocument } = configuration;
  if (clientDocument !== undefined && server.client_id_metadata_document_supported === true) {
    return {
      issuer: server.issuer,
      clientId: clientDocument,
      authentication: 'none',
      from: 'document',
    };
  }
  const registration =
    server.registration_endpoint === undefined
      ? await askedClient(choice, token)
      : await registerClient(server, redirectAddress, choice.description, choice.http);
  learn(store, registration);
  await store.keepRegistration(registration);
  return registration;
}

/** @throws {McpError} signInFailed if it belongs to another server */
async function configuredClient(choice: ClientChoice): Promise<ClientRegistration | undefined> {
  const { server, configuration, store, formerIssuer } = choice;
  const { clientId, clientSecret, privateKey } = configuration;
  if (clientId === undefined) return undefined;
  if (formerIssuer !== undefined) {
    const before = await store.registration(formerIssuer);
    if (before?.clientId === clientId) {
      throw new McpError('signInFailed', {
        signInStep: 'client',
        issuer: server.issuer,
        detail: `the client id of the configuration is one of ${formerIssuer.slice(0, 500)}`,
      });
    }
  }
  if (clientSecret !== undefined) store.learnSecret(clientSecret);
  const hasSecret = clientSecret !== undefined && clientSecret !== '';
  const registration: ClientRegistration = {
    issuer: server.issuer,
    clientId,
    authentication: privateKey === undefined ? methodFor(server, hasSecret) : 'private_key_jwt',
    from: 'configured',
    ...(hasSecret ? { clientSecret } : {}),
  };
  // Remembers which server this client id belongs to, in case the server changes later.
  await store.keepRegistration(registration);
  return registration;
}

function isUsable(stored: ClientRegistration, redirectAddress: string | undefined): boolean {
  if (stored.from === 'configured' || stored.from === 'document') return false;
  if (stored.secretExpiresAt !== undefined && stored.secretExpiresAt <= Date.now()) return false;
  return stored.from === 'given' || stored.redirectAddress === redirectAddress;
}

async function askedClient(
  { server, agent }: ClientChoice,
  token: CancellationToken | undefined,
): Promise<ClientRegistration> {
  const { clientId, clientSecret } = await agent.askForClient(server.issuer, token);
  const hasSecret = clientSecret !== undefined && clientSecret !== '';
  return {
    issuer: server.issuer,
    clientId,
    authentication: methodFor(server, hasSecret),
    from: 'given',
    ...(hasSecret ? { clientSecret } : {}),
  };
}

/** Registers the secret for redaction before a log can contain it. */
function learn(store: AuthorizationStore, { clientSecret }: ClientRegistration): void {
  if (clientSecret !== undefined) store.learnSecret(clientSecret);
}
