/** What stands at the end of the names of secrets, and of their parts. */
const secretEnding =
  /(?:token|key|secret|password|passwd|passphrase|pwd|auth|authorization|credentials?|cookie|bearer|pat)s?$/i;
/**
 * Names that end so, and whose values decide what runs. `PWD` is where, `GIT_CONFIG_KEY_0` which
 * setting of git, `SSH_AUTH_SOCK` who signs.
 */
const notSecret = /^(?:old)?pwd$|^git_config_|_(?:sock|command|program|path|file|dir|url)$/i;

/** Whether a variable, header, parameter or option of this name holds a secret, as far as names tell. */
export function looksSecret(name: string): boolean {
  if (notSecret.test(name)) return false;
  const parts = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').split(/[^a-zA-Z0-9]+/);
  return parts.some((part) => secretEnding.test(part) && !/^path$/i.test(part));
}

/** `Bearer …`: the word is no secret; any other first word may be a part of one. */
const scheme = /^(?:Bearer|Basic|Token|ApiKey|Api-Key) +/i;

/** What follows the name of a way to authenticate, or the text as it is. */
export function withoutScheme(text: string): string {
  return text.replace(scheme, '');
}
