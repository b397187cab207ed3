import {
  allowInsecureRequests,
  customFetch,
  protectedResourceRequest,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import type { WWWAuthenticateChallengeParameters } from 'oauth4webapi';

/** What a server wants to see before it takes a request; everything of it is untrusted. */
export interface BearerChallenge {
  readonly error?: string;
  readonly errorDescription?: string;
  /** Where it describes itself. */
  readonly resourceMetadata?: string;
  /** Absent: it names none; then it is not the same as an empty list. */
  readonly scopes?: readonly string[];
}

const maxScopes = 100;
const maxScopeChars = 200;
const maxAddressChars = 2_000;
const maxTextChars = 500;

/**
 * The Bearer challenge among these headers: of several the one that names where the metadata is, else
 * the first. A header that breaks the grammar is left out, and spoils no other.
 */
export async function bearerChallenge(
  headers: readonly string[],
): Promise<BearerChallenge | undefined> {
  const found: BearerChallenge[] = [];
  for (const header of headers) {
    for (const { scheme, parameters } of await challengesIn(header)) {
      if (scheme === 'bearer') found.push(toChallenge(parameters));
    }
  }
  return found.find(({ resourceMetadata }) => resourceMetadata !== undefined) ?? found[0];
}

/** The parser of the library is reached by an answer only: it gets the one that we have. */
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
    // Characters that no header may have.
  }
  return [];
}

function toChallenge(parameters: WWWAuthenticateChallengeParameters): BearerChallenge {
  const { error, error_description: description, scope, resource_metadata: address } = parameters;
  return {
    ...(error === undefined ? {} : { error: error.slice(0, maxTextChars) }),
    ...(description === undefined ? {} : { errorDescription: description.slice(0, maxTextChars) }),
    ...(address === undefined || address.length > maxAddressChars
      ? {}
      : { resourceMetadata: address }),
    ...(scope === undefined ? {} : { scopes: scopesIn(scope) }),
  };
}

/** The scopes of a text, each once, without what no scope can be; at most 100 of 200 characters. */
export function scopesIn(text: string): readonly string[] {
  return usableScopes(text.split(' '));
}

export function usableScopes(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.filter(isScope))].slice(0, maxScopes);
}

/** RFC 6749 3.3. */
function isScope(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > maxScopeChars) return false;
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value);
}
