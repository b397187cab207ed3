import type { LookupFunction } from 'node:net';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { isMcpError, isTransient, McpError, toMcpError } from '../errors';
import type { SignInStep } from '../errors';
import type { HttpBody } from '../http/decodedBody';
import { HttpExchange } from '../http/httpExchange';
import { parseJson } from '../json/parseJson';
import { isObject } from '../json/shapes';
import type { UnknownObject } from '../json/shapes';
import type { AddressRules } from './addressRules';

/** Of one request, redirects included. */
const timeoutMs = 10_000;
/** Of one answer, without its encodings. */
const maxBytes = 1024 * 1024;

/** Where an id token stands that the library shall not judge. */
export const unreadIdToken = 'unread_id_token';

export interface AuthAnswer {
  readonly status: number;
  /** Absent: it was no JSON object. Untrusted. */
  readonly json?: UnknownObject;
}

interface AuthRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Every request of a sign-in to whoever is not the MCP server: over the product's own HTTP, so that
 * proxies and certificates count, to addresses that {@link AddressRules} let pass, each checked for
 * the very request; 10 s, 1 MiB, redirects of a GET within the origin only.
 */
export class AuthHttp {
  readonly #rules: AddressRules;
  readonly #token: CancellationToken | undefined;

  constructor(rules: AddressRules, token?: CancellationToken) {
    this.#rules = rules;
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

  /** As {@link getJson}, at an address that is only guessed: a redirect to another site is no metadata. */
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

  /** For the library: the answer as it takes it, with what servers get wrong made right. */
  fetch(step: SignInStep) {
    return async (
      address: string,
      options: { method: string; headers: Record<string, string>; body?: unknown },
    ): Promise<Response> => {
      const { method, headers, body } = options;
      const { status, text } = await this.#send(
        address,
        {
          method: method === 'GET' ? 'GET' : 'POST',
          headers,
          ...(body === undefined ? {} : { body: bodyText(body) }),
        },
        step,
      );
      return repaired(status, text);
    };
  }

  async #send(address: string, request: AuthRequest, step: SignInStep) {
    const url = this.#rules.checked(address, step);
    await this.#rules.checkHost(url, step);
    if (this.#isCancelled()) throw new McpError('cancelled');
    const exchange = new HttpExchange(
      { url: new URL(url.origin), lookup: this.#lookup },
      {
        ...request,
        // A token request that is sent twice may take the code away from the first.
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
      return { status, text: await readAll(message).catch(throwLost) };
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
    this.#rules.addressesOf(hostname, family).then(
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

/** Whether nobody heard the request, or nobody its answer: the next one may find what it did not. */
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

/** What broke off before its end. */
function throwLost(error: unknown): never {
  if (isMcpError(error)) throw error;
  throw new McpError('connectionLost', { detail: toMcpError(error).message, cause: error });
}

function objectIn(text: string): UnknownObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    // No JSON, or nested so deeply that nobody meant it.
    return undefined;
  }
}

function bodyText(body: unknown): string {
  return body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : '';
}

/**
 * What real servers do: 200 for a registration, and for an error (GitHub); members that are null; a
 * secret without the time at which it ends; errors with a challenge beside them, which says nothing of
 * them. Ids of persons are read elsewhere, and never worth a sign-in that fails.
 */
function repaired(status: number, text: string): Response {
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
  return Response.json(kept, { status: allowedStatus(told) });
}

/** Those that an answer may have which has a body. */
function allowedStatus(status: number): number {
  return status < 200 || status > 599 || [204, 205, 304].includes(status) ? 502 : status;
}
