import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import type { AddressRules } from './addressRules';
import type { AuthHttp } from './authHttp';
import type { BearerChallenge } from './challenges';
import { isSameIssuer } from './issuers';
import { canonicalResource, findResourceMetadata } from './resourceMetadata';
import { findOldServerMetadata, findServerMetadata } from './serverMetadata';
import type { ServerMetadata } from './serverMetadata';

/** Where users of a server sign in. */
export interface Discovery {
  readonly resource: string;
  /** The scopes in the server's resource metadata. Absent if it lists none. */
  readonly scopes?: readonly string[];
  readonly issuers: readonly string[];
  /** @throws {McpError} signInFailed | cancelled */
  metadataOf(issuer: string): Promise<ServerMetadata>;
}

/**
 * Finds the authorization servers of an MCP server.
 * @param hasClient True if a client id is configured, which implies that the server has a sign-in.
 * @throws {McpError} unauthorized if nothing indicates a sign-in | signInFailed | cancelled
 */
export async function discover(
  serverUrl: URL,
  challenge: BearerChallenge | undefined,
  http: AuthHttp,
  rules: AddressRules,
  hasClient = false,
): Promise<Discovery> {
  const found = await findResourceMetadata(serverUrl, challenge, http, rules);
  if (found !== undefined) {
    return { ...found, metadataOf: (issuer) => findServerMetadata(issuer, http, rules) };
  }
  const server = await findOldServerMetadata(serverUrl, http, rules);
  // A challenge indicates a sign-in even if a server of 2025-03-26 has no metadata.
  if (server.isGuessed === true && challenge === undefined && !hasClient) {
    throw new McpError('unauthorized', { offersNoSignIn: true });
  }
  return {
    resource: canonicalResource(serverUrl),
    issuers: [server.issuer],
    metadataOf: () => Promise.resolve(server),
  };
}

/** Chooses one of several: the one of the stored grant, or else the user's choice. */
export async function chosenIssuer(
  { issuers }: Discovery,
  before: string | undefined,
  choose: (issuers: readonly string[], token?: CancellationToken) => Promise<string>,
  token?: CancellationToken,
): Promise<string> {
  const former = issuers.find((one) => before !== undefined && isSameIssuer(one, before));
  if (former !== undefined) return former;
  const [first, ...others] = issuers;
  if (first !== undefined && others.length === 0) return first;
  const chosen = await choose(issuers, token);
  if (issuers.includes(chosen)) return chosen;
  throw new McpError('internal', { detail: 'an authorization server that was not offered' });
}
