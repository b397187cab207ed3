/** What a condition finds out about a value; `unclear` counts on the strict side. */
export type Verdict = 'yes' | 'no' | 'unclear';

/** A host, or every host below one (`*.example.com`), in the form in which URLs have it. */
export interface HostPattern {
  readonly host: string;
  readonly isBelow: boolean;
  /** Absent: the port that the scheme stands for. */
  readonly port?: string;
}

/** The schemes whose hosts are meant, and the ports that they have without saying so. */
const webPorts: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'ws:': '80',
  'wss:': '443',
};

const maxPatternChars = 260;
/** Longer than any program takes for an address. */
const maxTextChars = 16 * 1024;
const maxAddresses = 20;

/** `undefined` for what is no host: a scheme, a path, a user, a `*` elsewhere than at the start. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const isBelow = text.startsWith('*.');
  const given = isBelow ? text.slice(2) : text;
  if (text.length > maxPatternChars || !/^[^\s/\\?#@*%]+$/.test(given)) return undefined;
  const port = /:(\d+)$/.exec(given)?.[1];
  const name = port === undefined ? given : given.slice(0, -port.length - 1);
  const url = parseUrl(`http://${name}/`);
  // A port that was not taken off above is none.
  if (url === undefined || url.port !== '' || name.endsWith(':')) return undefined;
  const host = withoutDot(url.hostname);
  if (host === '' || (port !== undefined && Number(port) > 65_535)) return undefined;
  return { host, isBelow, ...(port === undefined ? {} : { port: String(Number(port)) }) };
}

/**
 * Whether `text` is a web address (http, https, ws, wss) whose host is one of these. `unclear` where
 * programs that read addresses may see different hosts in it (users, backslashes, blanks, quotes,
 * several addresses, other spellings of a host, another scheme or none), or where the host is one of
 * these and the port is another than it would be without saying.
 */
export function hasHostIn(text: string, hosts: readonly HostPattern[]): Verdict {
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

/** Without blanks, quotes and brackets around it: some programs take them off, some keep them. */
function unwrapped(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && opening.test(text.charAt(start))) start += 1;
  if (start === 0 && !/[\s"'`]$/.test(text)) return text;
  while (end > start && closing.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** The text from its beginning, and from wherever another address seems to begin in it. */
function addressesIn(text: string): string[] {
  const others = text.matchAll(/["'`<>(){},;|](?=(?:[a-z][a-z0-9+.-]*:)?[\\/]{2})/gi);
  return [text, ...[...others].map(({ index }) => text.slice(index + 1))];
}

function verdictOn(text: string, hosts: readonly HostPattern[]): Verdict {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0];
  if (scheme !== undefined) {
    const isWeb = Object.hasOwn(webPorts, scheme.slice(0, -2).toLowerCase());
    if (isWeb) return judge(text, scheme, hosts);
    return unlessNo(judge(`http://${text.slice(scheme.length)}`, 'http://', hosts));
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(text) && !isHostAndPort(text)) return 'unclear';
  // Many programs take such a text for a URL and fill the scheme in.
  return unlessNo(judge(`http://${text.replace(/^\/\//, '')}`, 'http://', hosts));
}

function isHostAndPort(text: string): boolean {
  const [before = ''] = text.split('/', 1);
  const dot = before.indexOf('.');
  return dot >= 0 && /:\d/.test(before.slice(dot));
}

function judge(text: string, scheme: string, hosts: readonly HostPattern[]): Verdict {
  const url = parseUrl(text);
  if (url === undefined || hasControls(text)) return 'unclear';
  // The host as it is written must be the host as it counts.
  const rest = text.slice(scheme.length);
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? '';
  const written = authority.replace(/:\d*$/, '').toLowerCase();
  if (written !== url.hostname.toLowerCase() || !isPlainHost(written)) return 'unclear';
  // Some go on to the next slash, and see a user and another host, or a longer name.
  if (/^[^/?#]*[?#][^/]*[@.]/.test(rest)) return 'unclear';
  const verdicts = hosts.map((pattern) => fitsHost(url, written, pattern));
  if (verdicts.includes('yes')) return 'yes';
  return verdicts.includes('unclear') ? 'unclear' : 'no';
}

function fitsHost(url: URL, written: string, { host, isBelow, port }: HostPattern): Verdict {
  const name = withoutDot(written);
  if (isBelow ? !name.endsWith(`.${host}`) : name !== host) {
    // The same machine by an address of the newer kind.
    const isSame = !isBelow && (ipv4Within(name) ?? name) === (ipv4Within(host) ?? host);
    return isSame ? 'unclear' : 'no';
  }
  // The same host with and without its dot may still be answered by different sites.
  if (name !== written) return 'unclear';
  if (port === undefined) return url.port === '' ? 'yes' : 'unclear';
  return port === (url.port === '' ? webPorts[url.protocol] : url.port) ? 'yes' : 'no';
}

/** Of names one after the other, none of them empty, or an address of the newer kind. */
function isPlainHost(host: string): boolean {
  return /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?$|^\[[0-9a-f:.]+\]$/.test(host);
}

function unlessNo(verdict: Verdict): Verdict {
  return verdict === 'no' ? 'no' : 'unclear';
}

/** Blanks and controls, which `URL` drops and others do not. */
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
 * The IPv4 address that an IPv6 address of a URL stands for (mapped, compatible, or of a translator),
 * in the form in which URLs have it; `undefined` for any other host.
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
