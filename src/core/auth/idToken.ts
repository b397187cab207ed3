import { isObject } from '../json/shapes';
import { parseJson } from '../json/parseJson';

const maxTokenChars = 65_536;
const maxNameChars = 200;

/** The user named by an ID token. Untrusted: it only distinguishes accounts on screen. */
export interface Person {
  readonly subject: string;
  readonly name?: string;
}

/**
 * Reads the user from an ID token. Its signature is not checked: it came over TLS from the token
 * endpoint, and no decision depends on it.
 */
export function personIn(token: string): Person | undefined {
  if (token.length > maxTokenChars) return undefined;
  const [, payload = ''] = token.split('.');
  let claims: unknown;
  try {
    claims = parseJson(Buffer.from(payload, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!isObject(claims) || !isName(claims.sub)) return undefined;
  const name = [claims.name, claims.preferred_username, claims.email].find(isName);
  return { subject: claims.sub, ...(name === undefined ? {} : { name }) };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= maxNameChars;
}
