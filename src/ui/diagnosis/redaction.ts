import { homedir } from 'node:os';
import type { SecretValues } from '../../host/secrets/secretValues';

const home = homedir();

/**
 * Prepares `text` for an issue: removes known secrets and replaces the home folder by `~`, because
 * it often contains the user's name.
 */
export function forOthers(text: string, secrets: Pick<SecretValues, 'redact'>): string {
  const redacted = secrets.redact(text);
  // A root folder as home would match everywhere.
  return home.length < 3 ? redacted : redacted.replaceAll(home, '~');
}
