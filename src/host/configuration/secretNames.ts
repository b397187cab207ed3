/** Matches the endings of names of secrets, and of their parts. */
const secretEnding =
  /(?:token|key|secret|password|passwd|passphrase|pwd|auth|authorization|credentials?|cookie|bearer|pat)s?$/i;
/**
 * Names with such an ending whose values decide what runs. `PWD` is a folder, `GIT_CONFIG_KEY_0` a
 * setting of git, `SSH_AUTH_SOCK` a signing agent, `GOAUTH` and `CREDENTIAL_HELPER` are programs,
 * and bash runs `BASH_FUNC_passwd%%`.
 */
const notSecret =
  /^(?:old)?pwd$|^git_config_|^bash_func_|^cargo_credential_alias_|^goauth$|^corepack_integrity_keys$|^google_application_credentials$|_(?:sock|command|cmd|program|helper|script|exec|hooks?|plugins?|providers?|options|opts|args|flags|path|file|dir|url)$/i;

/** Matches the value of a flag such as `REQUIRE_AUTH`. */
const flag = /^(?:true|false|yes|no|on|off|none|null)$/i;
/** Matches the value of a count such as `MAX_TOKENS`. Only passwords are that short otherwise. */
const count = /^\d{1,6}$/;
const passwordName = /pass|pwd/i;

/**
 * Returns true if a variable, header, parameter or option of this name probably holds a secret. A
 * known `value` that is a flag or a count is none: it occurs in every log and answer.
 */
export function looksSecret(name: string, value?: string): boolean {
  if (value !== undefined) {
    if (flag.test(value) || (count.test(value) && !passwordName.test(name))) return false;
  }
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2');
  const parts = words.split(/[^a-zA-Z0-9]+/);
  if (notSecret.test(parts.join('_'))) return false;
  return parts.some((part) => secretEnding.test(part) && !/^path$/i.test(part));
}

/**
 * Matches known authentication schemes such as `Bearer`. Any other first word may be part of the
 * secret.
 */
const scheme = /^(?:Bearer|Basic|Token|ApiKey|Api-Key) +/i;

/** Removes the authentication scheme, if there is one. */
export function withoutScheme(text: string): string {
  return text.replace(scheme, '');
}

/** Removes any first word that may be a scheme. When in doubt, less is shown. */
export function withoutFirstWord(text: string): string {
  return text.replace(/^[A-Za-z][A-Za-z-]{1,20} +/, '');
}

/** Matches the prefixes of tokens of well-known services, which are secrets whatever their name. */
const knownToken =
  /^(?:sk-|gh[pousr]_|github_pat_|glpat-|xox[abpr]-|npm_|hf_|pat-|ya29\.|AKIA|AIza|eyJ)[\w.-]{12,}/;

/** Returns true if a text is a token of a well-known service. */
export function isKnownToken(text: string): boolean {
  return knownToken.test(text);
}

/** Matches an address with a password, which begins after the first colon. */
const passwordInAddress = /^[a-z][\w+.-]*:\/\/[^/?#@:\s]*:[^/?#@\s]+@/i;

/**
 * Returns true if the value of a reference such as `${env:TOKEN}` is a secret, by its name or its
 * value.
 */
export function isSecretReference(reference: string, value: string): boolean {
  const name = /^\$\{(?:env:|config:)?([^:}]*)/.exec(reference)?.[1] ?? '';
  return looksSecret(name, value) || isKnownToken(value) || passwordInAddress.test(value);
}
