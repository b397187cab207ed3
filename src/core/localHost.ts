// These functions take the host of a parsed URL, which is in lower case and has IPv4 addresses in
// dotted decimal.

/** True for names and addresses that never leave this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:.+\.)?localhost$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/.test(hostname);
}

/**
 * True for the loopback hosts that the editor never sends through a proxy, whatever its settings.
 */
export function isNeverProxied(hostname: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
}
