import type { AuthorizationServer } from 'oauth4webapi';
import { isMcpError, McpError } from '../errors';
import type { UnknownObject } from '../json/shapes';
import { statefulRevisions } from '../types';
import type { AddressRules, AuthHttp } from './authHttp';
/** Some servers answer by the revision. */
export const metadataHeaders = { 'MCP-Protocol-Version': statefulRevisions[0] };

const oauthPath = '/.well-known/oauth-authorization-server';
const openIdPath = '/.well-known/openid-configuration';
const maxIssuerChars = 2_000;
const maxListed = 200;
/** Limits an address in an error. */
const maxPlaceChars = 300;

/** Checked metadata. Optional members that cannot be used are left out. */
export interface ServerMetadata extends AuthorizationServer {
  /** True if the server has no metadata; its endpoints are the defaults of 2025-03-26. */
  readonly isGuessed?: true;
  readonly authorization_endpoint?: string;
  readonly token_endpoint: string;
  readonly prompt_values_supported?: string[];
}

/**
 * Loads the metadata of an authorization server from the first well-known address that has some
 * . Its endpoints were checked and its `issuer` is the requested one.
 * Endpoints are taken from nowhere else.
 * @throws {McpError} signInFailed | cancelled
 */
export async function findServerMetadata(issuer: string, http: AuthHttp): Promise<ServerMetadata> {
  const url = http.rules.checked(issuer, 'serverMetadata');
  const answers: string[] = [];
  for (const place of placesOf(url)) {
    const { status, json } = await http.getJson(place, 'serverMetadata', metadataHeaders);
    if (status === 200 && json !== undefined) return parse(json, issuer, http.rules);
    answers.push(`${place.slice(0, maxPlaceChars)}: HTTP status ${status}`);
  }
  throw stopped(issuer, `it has no metadata (${answers.join(', ')})`);
}

/** Returns the path of a URL without slashes at its end. */
export function trimmedPath({ pathname }: URL): string {
  // Searches once for each row of slashes, because a URL may have a megabyte of them.
  return pathname.replace(/(?<!\/)\/+$/, '');
}

function placesOf(url: URL): readonly string[] {
  const { origin } = url;
  const path = trimmedPath(url);
  const oauth = `${origin}${oauthPath}${path}`;
  const openId = `${origin}${openIdPath}${path}`;
  // The root is not asked for an issuer with a path.
  return path === '' ? [oauth, openId] : [oauth, openId, `${origin}${path}${openIdPath}`];
}

/**
 * Finds the authorization server of an MCP server of 2025-03-26: the metadata at its origin, or
 * default endpoints there. If that metadata names another issuer, the other issuer's is
 * loaded.
 * @throws {McpError} signInFailed | cancelled
 */
export async function findOldServerMetadata(
  serverUrl: URL,
  http: AuthHttp,
): Promise<ServerMetadata> {
  const { origin } = serverUrl;
  const path = trimmedPath(serverUrl);
  for (const [place, isExpected] of oldPlacesOf(origin, path)) {
    const asked = http.findJson(place, 'serverMetadata', metadataHeaders);
    const { status, json } = await (isExpected ? asked : asked.catch(noAnswer));
    if (status === 200 && json !== undefined) {
      const { issuer } = json;
      const own = [origin, `${origin}${path}`].find((one) => isSameIssuer(textOf(issuer), one));
      if (own !== undefined || typeof issuer !== 'string')
        return parse(json, own ?? origin, http.rules);
      return findServerMetadata(issuer, http);
    }
    if (status >= 500 && isExpected)
      throw stopped(origin, `it has no metadata (${place}: HTTP status ${status})`);
  }
  http.rules.checked(origin, 'serverMetadata');
  return {
    isGuessed: true,
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
  };
}

/**
 * Maps each address to whether its errors count. The specification puts the metadata at the root;
 * many servers have it at their own path, or in the form of OpenID, where errors are ignored.
 */
function oldPlacesOf(origin: string, path: string): ReadonlyMap<string, boolean> {
  const oauth = `${origin}${oauthPath}`;
  const openId = `${origin}${openIdPath}`;
  const own = `${origin}${path}${openIdPath}`;
  return new Map([
    [oauth, true],
    [`${oauth}${path}`, true],
    [openId, false],
    [`${openId}${path}`, false],
    [own, false],
  ]);
}

function noAnswer(error: unknown): { readonly status: number; readonly json?: UnknownObject } {
  if (isMcpError(error, 'cancelled')) throw error;
  return { status: 0 };
}

function parse(json: UnknownObject, issuer: string, rules: AddressRules): ServerMetadata {
  const named = textOf(json.issuer);
  if (!isSameIssuer(named, issuer)) {
    const said = typeof json.issuer === 'string' ? named.slice(0, 500) : 'nothing';
    throw stopped(issuer, `its metadata names ${said} as its issuer`);
  }
  const optional = (name: string) => usableAddress(json[name], rules);
  const authorization = json.authorization_endpoint;
  return {
    issuer: named,
    token_endpoint: rules.checked(textOf(json.token_endpoint), 'serverMetadata').href,
    ...(authorization === undefined
      ? {}
      : { authorization_endpoint: rules.checked(textOf(authorization), 'authorization').href }),
    ...member('registration_endpoint', optional('registration_endpoint')),
    ...member('revocation_endpoint', optional('revocation_endpoint')),
    ...member('device_authorization_endpoint', optional('device_authorization_endpoint')),
    ...member('scopes_supported', listOf(json.scopes_supported)),
    ...member('grant_types_supported', listOf(json.grant_types_supported)),
    ...member('prompt_values_supported', listOf(json.prompt_values_supported)),
    ...member('dpop_signing_alg_values_supported', listOf(json.dpop_signing_alg_values_supported)),
    ...member('code_challenge_methods_supported', listOf(json.code_challenge_methods_supported)),
    ...member(
      'token_endpoint_auth_methods_supported',
      listOf(json.token_endpoint_auth_methods_supported),
    ),
    ...(json.client_id_metadata_document_supported === true
      ? { client_id_metadata_document_supported: true }
      : {}),
    ...(json.authorization_response_iss_parameter_supported === true
      ? { authorization_response_iss_parameter_supported: true }
      : {}),
  };
}

function member(name: keyof ServerMetadata, value: string | string[] | undefined) {
  return value === undefined ? {} : { [name]: value };
}

/** Returns `undefined` for an address that cannot be used, so that it can be left out. */
export function usableAddress(value: unknown, rules: AddressRules): string | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return rules.checked(value, 'serverMetadata').href;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((item): item is string => typeof item === 'string').slice(0, maxListed);
}

function stopped(issuer: string, detail: string): McpError {
  return new McpError('signInFailed', {
    signInStep: 'serverMetadata',
    issuer: issuer.slice(0, maxIssuerChars),
    detail,
  });
}

/**
 * Compares issuers when metadata is matched to its request: byte for byte, except that an
 * empty path equals `/` (RFC 3986, section 6.2.3). The `iss` of an answer is compared without this
 * exception.
 */
export function isSameIssuer(one: string, other: string): boolean {
  return withPath(one) === withPath(other);
}

/** Returns `issuers` without duplicates. */
export function differentIssuers(issuers: readonly string[]): readonly string[] {
  return issuers.filter((one, index) => {
    return issuers.findIndex((other) => isSameIssuer(other, one)) === index;
  });
}

/** A `URL` object would normalize more than the path. */
function withPath(issuer: string): string {
  return /^https?:\/\/[^/?#]+$/i.test(issuer) ? `${issuer}/` : issuer;
}

/**
 * True if both are one host, or one is below the other. Names alone do not show what else belongs
 * together, so everything else counts as foreign.
 */
export function isSameSite(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const [first, second] = [new URL(one).hostname, new URL(other).hostname];
  return first === second || isBelow(first, second) || isBelow(second, first);
}

/** Below a name with a dot in it: everything is below `com`. */
function isBelow(name: string, parent: string): boolean {
  return parent.includes('.') && name.endsWith(`.${parent}`);
}
