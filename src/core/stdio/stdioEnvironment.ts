/** Environment variables by name, of a process or as configured. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. */
export const ownEnvironment: Environment = process.env;

/**
 * Variables that a program needs to find its files, its language and its temporary folder, and none
 * that may be a secret: tokens and keys have arbitrary names, so only an allow-list keeps them out
 * . The first lines are those of the official SDKs.
 */
const inherited: readonly string[] =
  process.platform === 'win32'
    ? [
        'APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PROCESSOR_ARCHITECTURE',
        'SYSTEMDRIVE SYSTEMROOT TEMP USERNAME USERPROFILE PROGRAMFILES',
        // Needed to find .cmd launchers, shells and installed runtimes.
        'PATHEXT COMSPEC WINDIR TMP ALLUSERSPROFILE PROGRAMDATA PROGRAMFILES(X86) PROGRAMW6432',
        'NVM_HOME NVM_SYMLINK VOLTA_HOME PYENV_ROOT PNPM_HOME NODE_EXTRA_CA_CERTS',
      ].flatMap((line) => line.split(' '))
    : [
        'HOME LOGNAME PATH SHELL TERM USER',
        // Language and time zone of the user; without LANG many programs write no UTF-8.
        'LANG LANGUAGE TZ TMPDIR',
        // Folders in which desktop sessions keep sockets and files (keyring, container engines).
        'XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME',
        // Folders of version managers, if they are not in the usual place.
        'NVM_DIR FNM_DIR VOLTA_HOME ASDF_DATA_DIR MISE_DATA_DIR PYENV_ROOT PNPM_HOME',
        'CARGO_HOME RUSTUP_HOME GOPATH BUN_INSTALL DENO_DIR UV_CACHE_DIR',
        // Certificates of a company network, and displays for a server that opens a browser.
        'NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE',
        'DISPLAY WAYLAND_DISPLAY XAUTHORITY',
      ].flatMap((line) => line.split(' '));

const inheritedPrefixes: readonly string[] = process.platform === 'win32' ? [] : ['LC_'];

/**
 * Builds the environment of a server: the allow-listed part of `own`, which is that of our process
 * or of the user's login shell, then the configured variables; `null` unsets. Names are matched
 * regardless of case on Windows, as Windows does.
 */
export function stdioEnvironment(
  configured: Readonly<Record<string, string | null>>,
  own: Environment,
): Record<string, string> {
  const isWindows = process.platform === 'win32';
  const keyOf = (name: string): string => (isWindows ? name.toUpperCase() : name);
  // Keyed by name, so that a configured `Path` replaces an inherited `PATH`.
  const variables = new Map<string, readonly [name: string, value: string]>();

  for (const [name, value] of Object.entries(own)) {
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
