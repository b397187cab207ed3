import {
  allowInsecureRequests,
  customFetch,
  protectedResourceRequest,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import type { WWWAuthenticateChallengeParameters } from 'oauth4webapi';

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

export function usableScopes(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.filter(isScope))].slice(0, maxScopes);
}

/** Implements RFC 6749, section 3.3. */
function isScope(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > maxScopeChars) return false;
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value);
}
