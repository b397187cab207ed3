// What of a parsed URL means this machine: its host is in lower case there, and every other
// spelling of an address with four numbers has become the one with dots.

/** Names and addresses that never leave this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:.+\.)?localhost$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/.test(hostname);
}

/** Those of them that the editor reaches without a proxy, whatever its settings are: just these. */
export function isNeverProxied(hostname: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
}
