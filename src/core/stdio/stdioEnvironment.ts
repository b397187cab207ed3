/**
 * What a program needs to find its files, its language and its temporary folder, and nothing that
 * may be a secret: tokens and keys live in variables with names of their own choosing, so only an
 * allow-list keeps them in. The first lines are those of the official SDKs.
 */
const inherited: readonly string[] =
  process.platform === 'win32'
    ? [
        'APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PROCESSOR_ARCHITECTURE',
        'SYSTEMDRIVE SYSTEMROOT TEMP USERNAME USERPROFILE PROGRAMFILES',
        // Finding .cmd launchers, shells and installed runtimes.
        'PATHEXT COMSPEC WINDIR TMP ALLUSERSPROFILE PROGRAMDATA PROGRAMFILES(X86) PROGRAMW6432',
      ].flatMap((line) => line.split(' '))
    : [
        'HOME LOGNAME PATH SHELL TERM USER',
        // Language and time of the person; without LANG many programs write no UTF-8.
        'LANG LANGUAGE TZ TMPDIR',
        // Where desktop sessions keep sockets and files (keyring, container engines).
        'XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME',
      ].flatMap((line) => line.split(' '));

const inheritedPrefixes: readonly string[] = process.platform === 'win32' ? [] : ['LC_'];

/**
 * The environment of a server: the allow-listed part of our own, then what is configured; `null`
 * unsets. Names are matched without regard to case on Windows, as Windows does.
 */
export function stdioEnvironment(
  configured: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const isWindows = process.platform === 'win32';
  const keyOf = (name: string): string => (isWindows ? name.toUpperCase() : name);
  // By key, so that a configured `Path` replaces an inherited `PATH` instead of standing beside it.
  const variables = new Map<string, readonly [name: string, value: string]>();

  for (const [name, value] of Object.entries(process.env)) {
    const key = keyOf(name);
    const isInherited =
      inherited.includes(key) || inheritedPrefixes.some((prefix) => key.startsWith(prefix));
    // Bash exports functions as variables; they are code, not settings.
    if (isInherited && value !== undefined && !value.startsWith('()')) {
      variables.set(key, [name, value]);
    }
  }
  for (const [name, value] of Object.entries(configured)) {
    if (value === null) variables.delete(keyOf(name));
    else variables.set(keyOf(name), [name, value]);
  }
  return Object.fromEntries(variables.values());
}
