import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { McpError } from '../errors';
import type { SignInStep } from '../errors';
import { isLoopbackHost } from '../localHost';

const maxAddressChars = 8_000;

/** The network an address belongs to. No server is ever reached at an address of class `never`. */
export type AddressClass = 'public' | 'loopback' | 'private' | 'linkLocal' | 'never';

const ranges: Readonly<Record<Exclude<AddressClass, 'public'>, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'],
  // Includes the addresses at which cloud providers serve credentials.
  linkLocal: ['169.254.0.0/16', 'fe80::/10'],
  never: ['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', '192.0.0.0/24', '198.18.0.0/15', '::/128'],
};

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = '', bits] = subnet.split('/');
    list.addSubnet(net, Number(bits), net.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

const blockLists = (['loopback', 'private', 'linkLocal', 'never'] as const).map(
  (name) => [name, listOf(ranges[name])] as const,
);

/** `BlockList` sees through IPv6 addresses that embed an IPv4 one, except for these forms. */
const embedsIpv4 = listOf(['64:ff9b::/96', '2002::/16', 'ff00::/8']);

/** Classifies a literal IP address. */
export function classifyAddress(address: string): AddressClass {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const found = blockLists.find(([, list]) => list.check(address, family));
  if (found !== undefined) return found[0];
  return family === 'ipv6' && embedsIpv4.check(address, family) ? 'never' : 'public';
}

/**
 * Decides which addresses a sign-in at one MCP server may contact, so that the server cannot make
 * this machine send requests that the server could not send itself.
 */
export class AddressRules {
  readonly #serverUrl: URL;
  readonly #allowedHosts: ReadonlySet<string>;
  #serverClasses: Promise<ReadonlySet<AddressClass>> | undefined;

  /** @param allowedHosts Host names that the user has allowed, in whichever network they are. */
  constructor(serverUrl: URL, allowedHosts: readonly string[] = []) {
    this.#serverUrl = serverUrl;
    this.#allowedHosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
  }

  /**
   * Parses `text` as an address to request or to open. It has to be `https:` (or `http:` if both it
   * and the MCP server are on this machine) and must not contain a user name or password (R-243,
   *
   * @throws {McpError} signInFailed
   */
  checked(text: string, step: SignInStep): URL {
    const refuse = (why: string) => {
      const detail = `${text.slice(0, 200)}: ${why}`;
      return new McpError('signInFailed', { signInStep: step, detail });
    };
    if (text.length > maxAddressChars || !URL.canParse(text)) throw refuse('no address');
    const url = new URL(text);
    if (url.protocol === 'http:') {
      const isHere = isLoopbackHost(url.hostname) && isLoopbackHost(this.#serverUrl.hostname);
      if (!isHere) throw refuse('not https');
    } else if (url.protocol !== 'https:') throw refuse('not https');
    if (url.username !== '' || url.password !== '') throw refuse('it holds a name or a password');
    return url;
  }

  /** Checks the host of `url` as far as its name allows. @throws {McpError} signInFailed */
  async checkHost(url: URL, step: SignInStep): Promise<void> {
    const host = withoutBrackets(url.hostname);
    // Names are checked later, when the request itself resolves them.
    if (isIP(host) === 0) return;
    if (await this.#mayReach(url.hostname, classifyAddress(host))) return;
    throw new McpError('signInFailed', { signInStep: step, detail: forbidden(host) });
  }

  /** Resolves a host name for a request. @throws if one of its addresses may not be contacted */
  async addressesOf(hostname: string, family: 0 | 4 | 6) {
    const addresses = await lookup(hostname, { all: true, family });
    for (const { address } of addresses) {
      if (!(await this.#mayReach(hostname, classifyAddress(address)))) {
        throw new Error(forbidden(hostname));
      }
    }
    return addresses;
  }

  async #mayReach(hostname: string, is: AddressClass): Promise<boolean> {
    if (is === 'public' || this.#allowedHosts.has(hostname.toLowerCase())) return true;
    // The connection to the server contacts this host anyway.
    if (hostname === this.#serverUrl.hostname) return true;
    if (is === 'never') return false;
    this.#serverClasses ??= classesOf(this.#serverUrl.hostname);
    const classes = await this.#serverClasses;
    // A server with addresses in several networks counts as part of none.
    return classes.size === 1 && classes.has(is);
  }
}

async function classesOf(hostname: string): Promise<ReadonlySet<AddressClass>> {
  if (isLoopbackHost(hostname)) return new Set(['loopback']);
  const host = withoutBrackets(hostname);
  if (isIP(host) !== 0) return new Set([classifyAddress(host)]);
  try {
    const addresses = await lookup(host, { all: true });
    return new Set(addresses.map(({ address }) => classifyAddress(address)));
  } catch {
    // Only a proxy can resolve this name, so the server is in no network of this machine.
    return new Set();
  }
}

function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function forbidden(host: string): string {
  return `${host} is in a network where the server itself is not`;
}
