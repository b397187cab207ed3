/** What stands at the end of the names of secrets, and of their parts. */
const secretEnding =
  /(?:token|key|secret|password|passwd|passphrase|pwd|auth|authorization|credentials?|cookie|bearer|pat)s?$/i;
/**
 * Names that end so, and whose values decide what runs. `PWD` is where, `GIT_CONFIG_KEY_0` which
 * setting of git, `SSH_AUTH_SOCK` who signs, `GOAUTH` a program, `CREDENTIAL_HELPER` another.
 */
const notSecret =
  /^(?:old)?pwd$|^git_config_|^goauth$|^corepack_integrity_keys$|^google_application_credentials$|_(?:sock|command|cmd|program|helper|script|exec|hooks?|plugins?|provider|options|opts|args|flags|path|file|dir|url)$/i;

/** Whether a variable, header, parameter or option of this name holds a secret, as far as names tell. */
export function looksSecret(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2');
  const parts = words.split(/[^a-zA-Z0-9]+/);
  if (notSecret.test(parts.join('_'))) return false;
  return parts.some((part) => secretEnding.test(part) && !/^path$/i.test(part));
}

/** `Bearer …`: the word is no secret; any other first word may be a part of one. */
const scheme = /^(?:Bearer|Basic|Token|ApiKey|Api-Key) +/i;

/** What follows the name of a way to authenticate, or the text as it is. */
export function withoutScheme(text: string): string {
  return text.replace(scheme, '');
}

/** The same for any word that may name a way: what must not be shown is rather told too widely. */
export function withoutFirstWord(text: string): string {
  return text.replace(/^[A-Za-z][A-Za-z-]{1,20} +/, '');
}

/** How tokens of well-known services begin; they are secrets whatever they are called. */
const knownToken =
  /^(?:sk-|gh[pousr]_|github_pat_|glpat-|xox[abpr]-|npm_|hf_|pat-|ya29\.|AKIA|AIza|eyJ)[\w.-]{12,}/;

/** Whether a text is a secret whatever its name: a token of a well-known service. */
export function isKnownToken(text: string): boolean {
  return knownToken.test(text);
}

/** A password in an address. */
const passwordInAddress = /^[a-z][\w+.-]*:\/\/[^/?#@\s]*:[^/?#@\s]+@/i;

/** Whether what a reference such as `${env:TOKEN}` stands for is a secret, by its name or its value. */
export function isSecretReference(reference: string, value: string): boolean {
  const name = /^\$\{(?:env:|config:)?([^:}]*)/.exec(reference)?.[1] ?? '';
  return looksSecret(name) || isKnownToken(value) || passwordInAddress.test(value);
}
