import { homedir } from 'node:os';
import type { SecretValues } from '../../host/secrets/secretValues';

const home = homedir();

/**
 * `text` as it may be pasted into an issue: without known secrets, and with `~` for the home folder,
 * whose name is often that of the person.
 */
export function forOthers(text: string, secrets: Pick<SecretValues, 'redact'>): string {
  const redacted = secrets.redact(text);
  // A root folder would stand everywhere.
  return home.length < 3 ? redacted : redacted.replaceAll(home, '~');
}
