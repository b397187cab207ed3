import type { FormElicitation } from './elicitation';
import type { ElicitationField } from './elicitationField';

/** Words that mean a secret in the name or title of a field. */
const secretNames = new RegExp(
  String.raw`\b(?:pass(?:word|wd|phrase|code)s?|pwd|secrets?|credentials?|pin|otp|cvv|cvc|` +
    String.raw`(?:one time|recovery|security|verification|backup) codes?|seed phrase|mnemonic|` +
    String.raw`(?:api|access|private|secret|encryption|signing|ssh|license) ?keys?|` +
    String.raw`(?:credit |debit )?card number|bearer|` +
    String.raw`tokens?(?! (?:count|limit|budget|usage|size)))\b`,
);

/** Phrases that mean a secret in a sentence. Other words often say that none is wanted. */
const secretPhrases =
  /\b(?:your|the|an?|enter|type|provide) (?:[\w-]+ ){0,3}?(?:password|passphrase|api key|access token|private key|secret key)\b/;

/**
 * Finds the fields that seem to ask for a secret, which a server must not do in a form. It
 * is a guess by English words and only causes a warning. If only the message asks, every text field
 * counts.
 */
export function findSecretFields(request: FormElicitation): ReadonlySet<string> {
  const isAskedByMessage = secretPhrases.test(request.message.toLowerCase());
  const found = request.fields.filter(
    (field) => isTyped(field) && (isAskedByMessage || asksForSecret(field)),
  );
  return new Set(found.map(({ name }) => name));
}

function isTyped({ kind }: ElicitationField): boolean {
  return kind === 'string' || kind === 'texts' || kind === 'json';
}

function asksForSecret({ name, label, description = '' }: ElicitationField): boolean {
  return (
    secretNames.test(toWords(name)) ||
    secretNames.test(toWords(label)) ||
    secretPhrases.test(description.slice(0, maxChars).toLowerCase())
  );
}

const maxChars = 1_000;

/** Converts `accessToken`, `ACCESS_TOKEN` and `access-token` to `access token`. */
function toWords(name: string): string {
  return name
    .slice(0, maxChars)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .toLowerCase();
}
