import { domainToUnicode } from 'node:url';
import { isLoopbackHost } from '../localHost';
import { hasHiddenCharacters } from '../visibleText';

/** Why an address is never opened. */
export type UrlRefusal =
  /** Neither `https`, nor `http` on this machine. */
  | 'scheme'
  /** A user name before the host can imitate another host. */
  | 'userInfo'
  /** Longer than a user can read before deciding. */
  | 'tooLong';

/** Properties of a URL that the user should check. */
export type UrlWarning =
  /** The host has letters that look like others; `unicodeHost` shows them. */
  | 'punycode'
  /** Not the default port. */
  | 'port'
  /** An IP address instead of a name. */
  | 'ipAddress'
  /** `http` on this machine: unencrypted, for development. */
  | 'loopback'
  /** A browser would open a different spelling than the server sent. */
  | 'rewritten';

export interface UrlAssessment {
  /** Exactly what a browser opens: visible ASCII without hidden characters. */
  readonly address: string;
  readonly host: string;
  /** The host in Unicode, if it is not ASCII. */
  readonly unicodeHost?: string;
  readonly refusal?: UrlRefusal;
  /** Empty if the address is refused. */
  readonly warnings: readonly UrlWarning[];
}

/** About 25 lines of a dialog. */
const maxAddressChars = 2_000;

/**
 * Assesses an address before it is opened. It has to be a valid URL. Only its text
 * is read: nothing is fetched or looked up.
 */
export function assessUrl(given: string): UrlAssessment {
  const url = new URL(given);
  const { href: address, host, hostname, port } = url;
  const unicodeHost = domainToUnicode(hostname);
  const isLoopback = isLoopbackHost(hostname);
  const refusal = refusalOf(url, isLoopback);
  const isInternational = /(?:^|\.)xn--/.test(hostname);
  const warnings: readonly (UrlWarning | false)[] = [
    isInternational && 'punycode',
    url.protocol === 'http:' && isLoopback && 'loopback',
    port !== '' && !isLoopback && 'port',
    !isLoopback && isIpAddress(hostname) && 'ipAddress',
    isRewritten(given, url, unicodeHost) && 'rewritten',
  ];
  return {
    address,
    host,
    ...(isInternational && unicodeHost !== '' ? { unicodeHost } : {}),
    ...(refusal === undefined ? {} : { refusal }),
    warnings: refusal === undefined ? warnings.filter((warning) => warning !== false) : [],
  };
}

function refusalOf(url: URL, isLoopback: boolean): UrlRefusal | undefined {
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback);
  if (!isAllowed) return 'scheme';
  if (url.username !== '' || url.password !== '') return 'userInfo';
  return url.href.length > maxAddressChars ? 'tooLong' : undefined;
}

function isIpAddress(hostname: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) || hostname.startsWith('[');
}

/**
 * True if the parser drops or changes characters, or finds another host than the one that is
 * written.
 */
function isRewritten(given: string, { hostname }: URL, unicodeHost: string): boolean {
  if (/[\s\\]/.test(given) || hasHiddenCharacters(given, given.length)) return true;
  const written = /^[a-z]+:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)/i.exec(given)?.[1];
  if (written === undefined) return true;
  // Lowers ASCII only: `toLowerCase` would turn the Kelvin sign into a plain `k`, as the parser
  // does.
  const lower = written.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  // The Punycode warning covers non-ASCII letters that stay.
  return lower !== hostname && lower !== unicodeHost;
}
