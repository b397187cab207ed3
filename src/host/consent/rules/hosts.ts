/** What a condition finds out about a value; `unclear` counts on the strict side. */
export type Verdict = 'yes' | 'no' | 'unclear';

/** A host, or every host below one (`*.example.com`), in the form in which URLs have it. */
export interface HostPattern {
  readonly host: string;
  readonly isBelow: boolean;
  /** Absent: the port that the scheme stands for. */
  readonly port?: string;
}

/** The ports that a URL of the scheme has without saying so. */
const defaultPorts: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'ws:': '80',
  'wss:': '443',
  'ftp:': '21',
};

const maxPatternChars = 260;

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
 * Whether `text` is a URL whose host is one of these. `unclear` where programs that read URLs may
 * see different hosts in it (users, backslashes, blanks, other spellings of a host, no scheme), or
 * where the host is one of these and the port is another than it would be without saying.
 */
export function hasHostIn(text: string, hosts: readonly HostPattern[]): Verdict {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0];
  if (scheme !== undefined) return judge(text, scheme, hosts);
  if (/^[a-z][a-z0-9+.-]*:/i.test(text) && !/^[^/]*\.[^/]*:\d/.test(text)) return 'unclear';
  // Many programs take such a text for a URL and fill the scheme in.
  const completed = `http://${text.replace(/^\/\//, '')}`;
  return judge(completed, 'http://', hosts) === 'no' ? 'no' : 'unclear';
}

function judge(text: string, scheme: string, hosts: readonly HostPattern[]): Verdict {
  const url = parseUrl(text);
  if (url === undefined || hasControls(text)) return 'unclear';
  // The host as it is written must be the host as it counts.
  const authority = /^[^/?#]*/.exec(text.slice(scheme.length))?.[0] ?? '';
  const written = authority.replace(/:\d*$/, '').toLowerCase();
  if (written === '' || written !== url.hostname.toLowerCase()) return 'unclear';
  if (written.includes('\\') || written.includes('@')) return 'unclear';
  const verdicts = hosts.map((pattern) => fitsHost(url, written, pattern));
  if (verdicts.includes('yes')) return 'yes';
  return verdicts.includes('unclear') ? 'unclear' : 'no';
}

function fitsHost(url: URL, written: string, { host, isBelow, port }: HostPattern): Verdict {
  const name = withoutDot(written);
  if (isBelow ? !name.endsWith(`.${host}`) : name !== host) return 'no';
  // The same host with and without its dot may still be answered by different sites.
  if (name !== written) return 'unclear';
  if (port === undefined) return url.port === '' ? 'yes' : 'unclear';
  return port === (url.port === '' ? defaultPorts[url.protocol] : url.port) ? 'yes' : 'no';
}

/** Blanks and controls, which `URL` drops and others do not. */
function hasControls(text: string): boolean {
  return /[\s\p{Cc}\p{Cf}]/u.test(text);
}

function withoutDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
