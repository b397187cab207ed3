/** The result of checking a condition for a value; `unclear` counts on the strict side. */
export type ConditionResult = 'yes' | 'no' | 'unclear';

/** A host, or every subdomain of one (`*.example.com`), as written in URLs. */
export interface HostPattern {
  readonly host: string;
  readonly isBelow: boolean;
  /** Defaults to the port of the scheme. */
  readonly port?: string;
}

/** Schemes with hosts, and their default ports. */
const webPorts: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'ws:': '80',
  'wss:': '443',
};

const maxPatternChars = 260;
/** Longer texts are no addresses for any program. */
const maxTextChars = 16 * 1024;
const maxAddresses = 20;

/**
 * Returns `undefined` for a text that is no host: with a scheme, a path, a user, or a `*` that is
 * not at the start.
 */
export function parseHostPattern(text: string): HostPattern | undefined {
  const isBelow = text.startsWith('*.');
  const given = isBelow ? text.slice(2) : text;
  if (text.length > maxPatternChars || !/^[^\s/\\?#@*%]+$/.test(given)) return undefined;
  const port = /:(\d+)$/.exec(given)?.[1];
  const name = port === undefined ? given : given.slice(0, -port.length - 1);
  const url = parseUrl(`http://${name}/`);
  // The remaining text must contain no port.
  if (url === undefined || url.port !== '' || name.endsWith(':')) return undefined;
  const host = withoutDot(url.hostname);
  if (host === '' || (port !== undefined && Number(port) > 65_535)) return undefined;
  return { host, isBelow, ...(port === undefined ? {} : { port: String(Number(port)) }) };
}

/**
 * Checks whether `text` is a web address (http, https, ws, wss) with one of these hosts. Returns
 * `unclear` if programs may read different hosts from it (users, backslashes, spaces, quotes,
 * several addresses, other spellings of a host, another scheme or none), or if the host matches but
 * the port is not the default.
 */
export function matchesHost(text: string, hosts: readonly HostPattern[]): ConditionResult {
  if (text.length > maxTextChars) return 'unclear';
  const inner = unwrapped(text);
  const addresses = addressesIn(inner);
  if (addresses.length > maxAddresses) return 'unclear';
  const verdicts = addresses.map((each) => verdictOn(each, hosts));
  const [verdict = 'unclear'] = verdicts;
  if (verdicts.every((each) => each === 'no')) return 'no';
  return inner !== text || verdicts.length > 1 ? 'unclear' : verdict;
}

const opening = /[\s"'`<([{]/;
const closing = /[\s"'`>)\]}]/;

/** Removes surrounding spaces, quotes and brackets, which some programs ignore and others keep. */
function unwrapped(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && opening.test(text.charAt(start))) start += 1;
  if (start === 0 && !/[\s"'`]$/.test(text)) return text;
  while (end > start && closing.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Returns the text from its start, and from each position where another address seems to begin. */
function addressesIn(text: string): string[] {
  const others = text.matchAll(/["'`<>(){},;|](?=(?:[a-z][a-z0-9+.-]*:)?[\\/]{2})/gi);
  return [text, ...[...others].map(({ index }) => text.slice(index + 1))];
}

function verdictOn(text: string, hosts: readonly HostPattern[]): ConditionResult {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0];
  if (scheme !== undefined) {
    const isWeb = Object.hasOwn(webPorts, scheme.slice(0, -2).toLowerCase());
    if (isWeb) return judge(text, scheme, hosts);
    return unlessNo(judge(`http://${text.slice(scheme.length)}`, 'http://', hosts));
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(text) && !isHostAndPort(text)) return 'unclear';
  // Many programs accept such a text as a URL and add the scheme.
  return unlessNo(judge(`http://${text.replace(/^\/\//, '')}`, 'http://', hosts));
}

function isHostAndPort(text: string): boolean {
  const [before = ''] = text.split('/', 1);
  const dot = before.indexOf('.');
  return dot >= 0 && /:\d/.test(before.slice(dot));
}

function judge(text: string, scheme: string, hosts: readonly HostPattern[]): ConditionResult {
  const url = parseUrl(text);
  if (url === undefined || hasControls(text)) return 'unclear';
  // The host as written must be equal to the parsed host.
  const rest = text.slice(scheme.length);
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? '';
  const written = authority.replace(/:\d*$/, '').toLowerCase();
  if (written !== url.hostname.toLowerCase() || !isPlainHost(written)) return 'unclear';
  // Some programs read on to the next slash, and see a user and another host, or a longer name.
  if (/^[^/?#]*[?#][^/]*[@.]/.test(rest)) return 'unclear';
  const verdicts = hosts.map((pattern) => fitsHost(url, written, pattern));
  if (verdicts.includes('yes')) return 'yes';
  return verdicts.includes('unclear') ? 'unclear' : 'no';
}

function fitsHost(
  url: URL,
  written: string,
  { host, isBelow, port }: HostPattern,
): ConditionResult {
  const name = withoutDot(written);
  if (isBelow ? !name.endsWith(`.${host}`) : name !== host) {
    // The same host, written as an IPv6 address.
    const isSame = !isBelow && (ipv4Within(name) ?? name) === (ipv4Within(host) ?? host);
    return isSame ? 'unclear' : 'no';
  }
  // A host with a trailing dot may be served by another site.
  if (name !== written) return 'unclear';
  if (port === undefined) return url.port === '' ? 'yes' : 'unclear';
  return port === (url.port === '' ? webPorts[url.protocol] : url.port) ? 'yes' : 'no';
}

/** Returns true for non-empty labels separated by dots, or an IPv6 address. */
function isPlainHost(host: string): boolean {
  return /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?$|^\[[0-9a-f:.]+\]$/.test(host);
}

function unlessNo(verdict: ConditionResult): ConditionResult {
  return verdict === 'no' ? 'no' : 'unclear';
}

/** Matches spaces and control characters, which `URL` drops and other programs do not. */
function hasControls(text: string): boolean {
  return /[\s\p{Cc}\p{Cf}\p{Cs}]/u.test(text);
}

function withoutDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * Returns the IPv4 address within an IPv6 address of a URL (mapped, compatible, or translated), as
 * written in URLs; `undefined` for any other host.
 */
function ipv4Within(host: string): string | undefined {
  const [, high, low] =
    /^\[(?:::ffff:(?:0:)?|::|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const bytes = [high, low].flatMap((part) => {
    const value = Number.parseInt(part, 16);
    return [value >> 8, value & 0xff];
  });
  return bytes.join('.');
}
