import { minSecretChars } from './secretForms';

/**
 * Whether a text is one of the secrets that came along with a call, or holds one; a secret of fewer
 * than four characters stands everywhere by chance, so only a text that is it counts.
 */
export function holdsSecret(text: string, secrets: Iterable<string>): boolean {
  for (const secret of secrets) {
    if (text === secret || (secret.length >= minSecretChars && text.includes(secret))) return true;
  }
  return false;
}
