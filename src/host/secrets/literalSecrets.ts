import type { ServerConfig } from '../configuration/serverConfig';
import { looksSecret } from './secretNames';

/** `Bearer …`, `Basic …`: what follows the word is the secret. */
const scheme = /^[A-Za-z][A-Za-z-]{1,20} +/;

/** What an input stands in is no secret itself. */
const hasInput = /\$\{input:[^{}]*\}/;

/**
 * The secrets that stand in how a server is reached, as far as names tell: variables, headers and
 * parameters of the address that are called so, and a password in the address.
 */
export function literalSecrets(reach: ServerConfig['reach']): readonly string[] {
  const named = reach.kind === 'stdio' ? reach.env : reach.headers;
  const values = Object.entries(named).flatMap(([name, value]) =>
    value !== null && looksSecret(name) ? [value, value.replace(scheme, '')] : [],
  );
  return [...values, ...(reach.kind === 'stdio' ? [] : inAddress(reach.url))].filter(
    (value) => !hasInput.test(value),
  );
}

function inAddress(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { password, searchParams } = new URL(address);
  const values = [...searchParams].flatMap(([name, value]) => (looksSecret(name) ? [value] : []));
  return password === '' ? values : [password, ...values];
}
