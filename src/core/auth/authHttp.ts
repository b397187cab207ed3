import { randomBytes } from 'node:crypto';
import { type LookupFunction, BlockList, isIP } from 'node:net';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { isMcpError, isTransient, McpError, toMcpError, type SignInStep } from '../errors';
import type { HttpBody } from '../http/httpBody';
import { HttpExchange } from '../http/httpExchange';
import { parseJson } from '../json/parseJson';
import { isObject, type UnknownObject } from '../json/shapes';
import { usableNonce } from './proofKey';
import { AuthorizationResponseError, ResponseBodyError } from 'oauth4webapi';
import { lookup } from 'node:dns/promises';
import { isLoopbackHost } from '../localHost';

/** Limits one request, including its redirects. */
const timeoutMs = 10_000;
/** Limits one answer after decompression. */
const maxBytes = 1024 * 1024;

/** The member to which an ID token is moved so that the library does not validate it. */
export const unreadIdToken = 'unread_id_token';

export interface AuthAnswer {
  readonly status: number;
  /** Untrusted. Absent if the body was not a JSON object. */
  readonly json?: UnknownObject;
}

interface AuthRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends every request of a sign-in that goes to another host than the MCP server. It uses the
 * product's own HTTP, so that proxies and certificates apply, and contacts only addresses that
 * {@link AddressRules} allows, checked for each request. A request has 10 s and 1 MiB, and only a
 * GET follows redirects, within its origin.
 */
export class AuthHttp {
  readonly rules: AddressRules;
  readonly #token: CancellationToken | undefined;

  constructor(rules: AddressRules, token?: CancellationToken) {
    this.rules = rules;
    this.#token = token;
  }

  /** @throws {McpError} signInFailed | cancelled */
  async getJson(
    address: string,
    step: SignInStep,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<AuthAnswer> {
    const request = { method: 'GET', headers: { ...headers, Accept: 'application/json' } } as const;
    const { status, text } = await this.#send(address, request, step);
    const json = objectIn(text);
    return json === undefined ? { status } : { status, json };
  }

  /**
   * Like {@link getJson}, for an address that is only guessed: a redirect to another site means
   * that there is no metadata.
   */
  async findJson(
    address: string,
    step: SignInStep,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<AuthAnswer> {
    try {
      return await this.getJson(address, step, headers);
    } catch (error) {
      const cause: unknown = isMcpError(error) ? error.facts.cause : undefined;
      if (!isMcpError(cause, 'redirectRefused')) throw error;
      return { status: cause.facts.httpStatus ?? 302 };
    }
  }

  /**
   * Returns a `fetch` for the OAuth library that corrects common mistakes in the answers of
   * servers.
   */
  fetch(step: SignInStep) {
    return async (
      address: string,
      options: { method: string; headers: Record<string, string>; body?: unknown },
    ): Promise<Response> => {
      const { method, headers, body } = options;
      const { status, text, nonce } = await this.#send(
        address,
        {
          method: method === 'GET' ? 'GET' : 'POST',
          headers,
          ...(body === undefined ? {} : { body: bodyText(body) }),
        },
        step,
      );
      return repaired(status, text, nonce);
    };
  }

  async #send(address: string, request: AuthRequest, step: SignInStep) {
    const url = this.rules.checked(address, step);
    await this.rules.checkHost(url, step);
    if (this.#isCancelled()) throw new McpError('cancelled');
    const exchange = new HttpExchange(
      {
        url: new URL(url.origin),
        addressCheck: { lookup: this.#lookup, poolId: this.rules.poolId },
      },
      {
        ...request,
        // Sending a token request twice may invalidate the code for the first one.
        isRepeatable: request.method === 'GET',
        ...(request.method === 'GET' ? {} : { redirects: 'none' }),
      },
      url,
    );
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      exchange.abort();
    }, timeoutMs);
    const cancelled = this.#token?.onCancellationRequested(() => exchange.abort());
    try {
      const { status, message } = await exchange.answer;
      const nonce = usableNonce(message.headers['dpop-nonce']);
      return { status, nonce, text: await readAll(message).catch(throwLost) };
    } catch (error) {
      if (this.#isCancelled()) throw new McpError('cancelled');
      const detail = `no answer in ${timeoutMs} ms`;
      throw failure(url, step, isLate ? new McpError('timeout', { detail }) : toMcpError(error));
    } finally {
      clearTimeout(timer);
      cancelled?.dispose();
      exchange.abort();
    }
  }

  #isCancelled(): boolean {
    return this.#token?.isCancellationRequested === true;
  }

  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    const family = options.family === 4 || options.family === 6 ? options.family : 0;
    this.rules.addressesOf(hostname, family).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
    );
  };
}

function failure(url: URL, step: SignInStep, why: McpError): McpError {
  const said = why.code === 'timeout' ? (why.facts.detail ?? '') : why.message;
  const detail = `${url.origin}${url.pathname}: ${said}`.slice(0, 1_000);
  return new McpError('signInFailed', { signInStep: step, detail, cause: why });
}

/** True if the request or its answer did not get through, so that a later request may succeed. */
export function isConnectionFailure(error: unknown): boolean {
  const cause: unknown = isMcpError(error) ? error.facts.cause : undefined;
  return isMcpError(cause, 'timeout') || isTransient(cause);
}

async function readAll(message: HttpBody): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > maxBytes) throw new McpError('answerTooLarge', { limit: maxBytes });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Reports an answer that broke off before its end. */
function throwLost(error: unknown): never {
  if (isMcpError(error)) throw error;
  throw new McpError('connectionLost', { detail: toMcpError(error).message, cause: error });
}

function objectIn(text: string): UnknownObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    // The text is not JSON, or is nested too deeply.
    return undefined;
  }
}

function bodyText(body: unknown): string {
  return body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : '';
}

/**
 * Corrects what real servers get wrong: status 200 for a registration and for an error (GitHub),
 * members that are null, and a secret without an expiry. Leaves out the challenge that may
 * accompany an error, and moves the ID token away: a bad one must not make the sign-in fail.
 */
function repaired(status: number, text: string, nonce: string | undefined): Response {
  const json = objectIn(text);
  if (json === undefined)
    return new Response(text.slice(0, 1_000), { status: allowedStatus(status) });
  const { id_token: idToken, ...rest } = json;
  const members = Object.entries({ ...rest, [unreadIdToken]: idToken ?? null });
  const kept: Record<string, unknown> = Object.fromEntries(
    members.filter(([, value]) => value !== null),
  );
  if (typeof kept['client_secret'] === 'string' && kept['client_secret'] !== '') {
    kept['client_secret_expires_at'] ??= 0;
  }
  const isError = typeof kept['error'] === 'string' && status < 300;
  const isRegistration = typeof kept['client_id'] === 'string' && status === 200;
  const told = isError ? 400 : isRegistration ? 201 : status;
  const headers = nonce === undefined ? {} : { 'DPoP-Nonce': nonce };
  return Response.json(kept, { status: allowedStatus(told), headers });
}

/** Maps statuses that a `Response` with a body cannot have to 502. */
function allowedStatus(status: number): number {
  return status < 200 || status > 599 || [204, 205, 304].includes(status) ? 502 : status;
}

const maxWords = 500;

/**
 * Describes why a step failed, with the server's own message if it sent one. Never includes what
 * was sent or the whole answer, which may contain a token.
 */
export function signInFailure(error: unknown, step: SignInStep, issuer?: string): McpError {
  if (error instanceof McpError) return error;
  return new McpError('signInFailed', {
    signInStep: step,
    detail: wordsOf(error).slice(0, maxWords),
    ...(issuer === undefined ? {} : { issuer: issuer.slice(0, 2_000) }),
  });
}

/** Returns the `error` code of an answer, such as `invalid_grant`. */
export function oauthCode(error: unknown): string | undefined {
  return isAnswer(error) ? error.error : undefined;
}

function wordsOf(error: unknown): string {
  if (isAnswer(error)) {
    const { error: code, error_description: description } = error;
    return description === undefined ? code : `${code}: ${description}`;
  }
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Response ? `${error.message} (${cause.status})` : error.message;
}

function isAnswer(error: unknown): error is ResponseBodyError | AuthorizationResponseError {
  return error instanceof ResponseBodyError || error instanceof AuthorizationResponseError;
}

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
  /** Identifies the connections that were made under these rules. */
  readonly poolId = randomBytes(16).toString('hex');
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
