import { domainToUnicode } from 'node:url';
import { isLoopbackHost } from '../thisMachine';
import { hasHiddenCharacters } from '../visibleText';

/** Why an address is not opened at all. */
export type UrlRefusal =
  /** Neither https nor, on this machine, http. */
  | 'scheme'
  /** A user name before the host makes another host look like it. */
  | 'userInfo'
  /** Longer than a person can read before deciding. */
  | 'tooLong';

/** What a person should look at twice. */
export type UrlWarning =
  /** The host has letters that look like others; `unicodeHost` says which. */
  | 'punycode'
  /** Not the port that everybody uses. */
  | 'port'
  /** A number instead of a name. */
  | 'ipAddress'
  /** http on this very machine: not encrypted, for development. */
  | 'loopback'
  /** What the server wrote is not what a browser would open. */
  | 'rewritten';

export interface UrlAssessment {
  /** Exactly what a browser opens: visible ASCII, nothing hidden. */
  readonly address: string;
  readonly host: string;
  /** The host in its own letters, where those are not ASCII. */
  readonly unicodeHost?: string;
  readonly refusal?: UrlRefusal;
  /** None where the address is refused anyway. */
  readonly warnings: readonly UrlWarning[];
}

/** About 25 lines of a dialog. */
const maxAddressChars = 2_000;

/**
 * What to say about an address before it is opened; the address must be a URL.
 * Looks at the text only: nothing is fetched or looked up.
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

/** Characters that the parser drops or turns, or another host than the one that is written there. */
function isRewritten(given: string, { hostname }: URL, unicodeHost: string): boolean {
  if (/[\s\\]/.test(given) || hasHiddenCharacters(given, given.length)) return true;
  const written = /^[a-z]+:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)/i.exec(given)?.[1];
  if (written === undefined) return true;
  // Of ASCII alone: `toLowerCase` makes a plain `k` of the Kelvin sign, as the parser does.
  const lower = written.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  // Letters that stay and are not ASCII are told by the warning of Punycode.
  return lower !== hostname && lower !== unicodeHost;
}
