import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import type { AddressRules, AuthHttp } from './authHttp';
import {
  findOldServerMetadata,
  findServerMetadata,
  isSameIssuer,
  metadataHeaders,
  differentIssuers,
  trimmedPath,
  usableAddress,
  type ServerMetadata,
} from './serverMetadata';
import type { UnknownObject } from '../json/shapes';
import {
  allowInsecureRequests,
  customFetch,
  protectedResourceRequest,
  WWWAuthenticateChallengeError,
  type WWWAuthenticateChallengeParameters,
} from 'oauth4webapi';

/** The discovered authorization servers of a server, where its users sign in. */
export interface Discovery extends ResourceMetadata {
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
  challenge: SignInChallenge | undefined,
  http: AuthHttp,
  hasClient = false,
): Promise<Discovery> {
  const found = await findResourceMetadata(serverUrl, challenge, http);
  if (found !== undefined) {
    return { ...found, metadataOf: (issuer) => findServerMetadata(issuer, http) };
  }
  const server = await findOldServerMetadata(serverUrl, http);
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

const wellKnown = '/.well-known/oauth-protected-resource';
const maxIssuers = 20;
const maxIdentifierChars = 2_000;

/** A server's own metadata (RFC 9728), checked. */
interface ResourceMetadata {
  /** Byte for byte as the server sent it. */
  readonly resource: string;
  /** Has at least one element. */
  readonly issuers: readonly string[];
  /** Absent if the metadata lists none. */
  readonly scopes?: readonly string[];
  /** Set if the server takes only tokens that are bound to a key (RFC 9728, section 2). */
  readonly requiresProof?: true;
}

/**
 * Asks the server where to sign in: only at the address of the challenge if it gives one, or else
 * at the path of the endpoint and then at the root. Returns `undefined` if there is
 * no metadata, as on servers of 2025-03-26.
 * @throws {McpError} signInFailed | cancelled
 */
async function findResourceMetadata(
  serverUrl: URL,
  challenge: SignInChallenge | undefined,
  http: AuthHttp,
): Promise<ResourceMetadata | undefined> {
  const announced = challenge?.resourceMetadata;
  const places = announced === undefined ? placesOf(serverUrl) : [announced];
  for (const place of places) {
    const ask = announced === undefined ? 'findJson' : 'getJson';
    const { status, json } = await http[ask](place, 'resourceMetadata', metadataHeaders);
    if (status === 200 && json !== undefined) return parse(json, serverUrl, http.rules);
    // A server error does not mean that there is no metadata.
    if (announced !== undefined || status >= 500) {
      throw stopped(`${place.slice(0, 500)}: HTTP status ${status}`);
    }
  }
  return undefined;
}

function placesOf(url: URL): readonly string[] {
  const { origin } = url;
  const path = trimmedPath(url);
  return [...new Set([`${origin}${wellKnown}${path}`, `${origin}${wellKnown}`])];
}

function parse(json: UnknownObject, serverUrl: URL, rules: AddressRules): ResourceMetadata {
  const { resource, authorization_servers: named, scopes_supported: scopes } = json;
  if (typeof resource !== 'string' || !coversServer(resource, serverUrl)) {
    const said = typeof resource === 'string' ? resource.slice(0, 500) : 'nothing';
    throw stopped(`it names ${said} as its resource`);
  }
  const issuers = Array.isArray(named)
    ? named.filter((it): it is string => typeof it === 'string' && it.length <= maxIdentifierChars)
    : [];
  const different = differentIssuers(issuers.slice(0, maxIssuers));
  const [first] = different;
  if (first === undefined) throw stopped('it names no authorization server');
  const usable = different.filter((issuer) => usableAddress(issuer, rules) !== undefined);
  // Gives the reason if none can be used.
  if (usable.length === 0) rules.checked(first, 'resourceMetadata');
  return {
    resource,
    issuers: usable,
    ...(Array.isArray(scopes) ? { scopes: usableScopes(scopes) } : {}),
    ...(json.dpop_bound_access_tokens_required === true ? { requiresProof: true } : {}),
  };
}

/**
 * True if the resource covers the server at `serverUrl`: it has the same origin, and its path is
 * the server's or a parent of it, by whole segments. A token for it may be sent to the
 * server.
 */
export function coversServer(resource: string, serverUrl: URL): boolean {
  if (resource.length > maxIdentifierChars || !URL.canParse(resource)) return false;
  const url = new URL(resource);
  if (url.origin !== serverUrl.origin || url.hash !== '') return false;
  if (url.username !== '' || url.password !== '') return false;
  if (url.search !== '' && url.search !== serverUrl.search) return false;
  const wanted = segments(url);
  const own = segments(serverUrl);
  return wanted.every((segment, index) => segment === own[index]);
}

function segments({ pathname }: URL): readonly string[] {
  return pathname.split('/').filter((segment) => segment !== '');
}

/**
 * The resource of a server that names none: its address without fragment and trailing slash
 * (R-269).
 */
export function canonicalResource(url: URL): string {
  return `${url.origin}${trimmedPath(url)}${url.search}`;
}

function stopped(detail: string): McpError {
  return new McpError('signInFailed', { signInStep: 'resourceMetadata', detail });
}

/** The demands of a server before it accepts a request. All of it is untrusted. */
export interface SignInChallenge {
  readonly error?: string;
  readonly errorDescription?: string;
  /** The address of the server's resource metadata. */
  readonly resourceMetadata?: string;
  /** Absent if the challenge names no scopes, which differs from an empty list. */
  readonly scopes?: readonly string[];
  /** Set if the server asks for tokens that are bound to a key: also, or only, such ones. */
  readonly proof?: 'offered' | 'required';
}

const maxScopes = 100;
const maxScopeChars = 200;
const maxAddressChars = 2_000;
const maxTextChars = 500;

/**
 * Returns what the Bearer and DPoP challenges of these headers demand: first the one that gives the
 * address of the metadata, and what it leaves out from the others. A malformed header is ignored
 * and does not affect the others.
 */
export async function signInChallenge(
  headers: readonly string[],
): Promise<SignInChallenge | undefined> {
  const found: SignInChallenge[] = [];
  const schemes = new Set<string>();
  for (const header of headers) {
    for (const { scheme, parameters } of await challengesIn(header)) {
      if (scheme !== 'bearer' && scheme !== 'dpop') continue;
      schemes.add(scheme);
      found.push(toChallenge(parameters));
    }
  }
  if (found.length === 0) return undefined;
  const isFirst = ({ resourceMetadata }: SignInChallenge) => resourceMetadata !== undefined;
  const all = [...found.filter(isFirst), ...found.filter((each) => !isFirst(each))];
  const proof = schemes.has('bearer') ? 'offered' : 'required';
  return Object.assign({}, ...all.toReversed(), schemes.has('dpop') ? { proof } : {});
}

/**
 * The library exposes its parser only through a request, so this hands it an answer without sending
 * one.
 */
async function challengesIn(header: string) {
  try {
    const answer = new Response(null, { status: 401, headers: { 'www-authenticate': header } });
    const nowhere = new URL('https://unused.invalid');
    await protectedResourceRequest('unused', 'GET', nowhere, undefined, undefined, {
      [customFetch]: () => Promise.resolve(answer),
      [allowInsecureRequests]: false,
    });
  } catch (error) {
    if (error instanceof WWWAuthenticateChallengeError) return error.cause;
    // The header has characters that are not allowed in headers.
  }
  return [];
}

function toChallenge(parameters: WWWAuthenticateChallengeParameters): SignInChallenge {
  const { error, error_description: description, scope, resource_metadata: address } = parameters;
  return {
    ...(error === undefined ? {} : { error: error.slice(0, maxTextChars) }),
    ...(description === undefined ? {} : { errorDescription: description.slice(0, maxTextChars) }),
    ...(address === undefined || address.length > maxAddressChars
      ? {}
      : { resourceMetadata: address }),
    ...(scope === undefined ? {} : { scopes: parseScopes(scope) }),
  };
}

/** Splits a text into its valid, distinct scopes: at most 100 of at most 200 characters each. */
export function parseScopes(text: string): readonly string[] {
  return usableScopes(text.split(' '));
}

function usableScopes(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.filter(isScope))].slice(0, maxScopes);
}

/** Implements RFC 6749, section 3.3. */
function isScope(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > maxScopeChars) return false;
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value);
}
