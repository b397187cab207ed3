import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { TLSSocket, connect as connectTls, connect, type PeerCertificate } from 'node:tls';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { ClientInfo } from '../eras/era';
import { requestMeta, statelessRevision } from '../eras/statelessMeta';
import { McpError, type McpErrorFacts, toMcpError } from '../errors';
import { decodedBody, networkFailure } from './httpBody';
import {
  checkedHeaders,
  type HttpHeaders,
  parseEndpoint,
  markAnonymous,
  statelessHeaders,
  toOutgoingMessage,
  userInfoOf,
} from './httpMessage';
import { httpErrorOf } from './sseStream';
import { connect as connectTcp, type Socket, isIP } from 'node:net';

/**
 * Results of one request, step by step; steps that were not reached are absent. Text is untrusted.
 */
export interface HttpProbe {
  /** The resolved IP address. */
  readonly address?: string;
  readonly tls?: { readonly protocol: string; readonly validTo: string };
  /** Set if no secure connection was established. */
  readonly tlsTrouble?: TlsErrorKind;
  /** The certificate that was rejected. */
  readonly certificate?: CertificateFacts;
  readonly status?: number;
  readonly contentType?: string;
  /** The authentication that the server asks for. */
  readonly challenge?: string;
  /** The server's reason for refusing the request (HTTP status 401 and 403). */
  readonly refusal?: McpErrorFacts;
  readonly error?: McpError;
}

const maxChars = 500;

/** Returns the first request of a client, which has no effect on any server. */
function firstRequest(clientInfo: ClientInfo) {
  const params = { _meta: requestMeta({ clientInfo }).usual };
  const request = { jsonrpc: '2.0', id: 0, method: 'server/discover', params };
  const message = toOutgoingMessage(request);
  return { body: message.body, headers: statelessHeaders(statelessRevision, message) };
}

/**
 * Sends one request and records each step: name, connection, certificate, status and headers of the
 * answer. The body is read only if it explains a refusal. `timeoutMs` limits the whole exchange.
 * Rejects only for an invalid URL.
 * @throws {McpError} invalidConfiguration
 */
export async function probeHttp(
  address: string,
  headers: HttpHeaders,
  { clientInfo, timeoutMs }: { readonly clientInfo: ClientInfo; readonly timeoutMs: number },
  token?: CancellationToken,
): Promise<HttpProbe> {
  const { url, socketPath } = parseEndpoint(address);
  const look: { -readonly [K in keyof HttpProbe]: HttpProbe[K] } = {};
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const question = firstRequest(clientInfo);
  // Node would decode the user name and the password of a URL, and throw where it cannot.
  const bare = new URL(url);
  bare.username = bare.password = '';
  const request = send(bare, {
    method: 'POST',
    auth: userInfoOf(url),
    ...(socketPath === undefined ? {} : { socketPath }),
    headers: {
      ...checkedHeaders(headers),
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(question.body),
      ...question.headers,
    },
  });
  const limit = destroyAfter(request, timeoutMs);
  let hasSocket = false;
  const cancelled = token?.onCancellationRequested(() => request.destroy());
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on('socket', (socket) => {
        socket.once('lookup', (_error, ip) => (look.address = ip));
        socket.once('connect', () => (hasSocket = true));
        socket.once('secureConnect', () => {
          if (socket instanceof TLSSocket) look.tls = readTlsFacts(socket);
        });
      });
      request.once('response', resolve);
      request.once('error', reject);
      request.end(question.body);
    });
    look.status = answer.statusCode ?? 0;
    // Whole, because secrets can be removed only from texts that are not cut. Node limits headers.
    const { 'content-type': contentType, 'www-authenticate': challenge } = answer.headers;
    if (contentType !== undefined) look.contentType = contentType;
    if (challenge !== undefined) look.challenge = challenge;
    if (look.status === 401 || look.status === 403) {
      const wasAnonymous = markAnonymous({ url }, headers).isAnonymous === true;
      const body = decodedBody(answer);
      const refused = { status: look.status, message: body, url, wasAnonymous };
      look.refusal = (await httpErrorOf(refused).catch(toMcpError)).facts;
    }
    return look;
  } catch (error) {
    if (token?.isCancellationRequested === true) throw new McpError('cancelled');
    const failure = error instanceof Error ? error : new Error(String(error));
    const told = networkFailure(failure, hasSocket);
    if (told.code !== 'tlsError') return { ...look, error: told };
    const certificate = await certificateAt(url, timeoutMs, token);
    if (token?.isCancellationRequested) throw new McpError('cancelled');
    return {
      ...look,
      error: told,
      tlsTrouble: classifyTlsError(failure),
      ...(certificate === undefined ? {} : { certificate }),
    };
  } finally {
    clearTimeout(limit);
    cancelled?.dispose();
    request.destroy();
  }
}

/** A server that sends byte by byte is never idle, so the time limit is for everything. */
function destroyAfter(stream: ClientRequest | Socket, timeoutMs: number): NodeJS.Timeout {
  const late = new Error(`no answer in ${timeoutMs} ms`);
  return setTimeout(() => stream.destroy(late), timeoutMs);
}

/** A proxy with its authentication; both may hold secrets. */
export interface Proxy {
  /** URL with the scheme `http:`, `https:` or `socks…:`. */
  readonly url: string;
  /** Value of the header, if it is configured separately from the URL. */
  readonly authorization?: string;
}

/** The answer of a proxy to the request for a tunnel to a server. */
export interface ProxyProbe {
  /**
   * 200 means that the tunnel is open. Absent if the proxy was reached and needs no tunnel request.
   */
  readonly status?: number;
  /** Set if the proxy was not reached or gave no answer. */
  readonly error?: McpError;
}

const maxAnswerChars = 8_192;

/**
 * Connects to the proxy and asks it for a tunnel to `target`, as for every `https:` URL; nothing is
 * sent through it. Rejects only for a cancelled token.
 * @throws {McpError} cancelled
 */
export async function probeProxy(
  proxy: Proxy,
  target: URL,
  timeoutMs: number,
  token?: CancellationToken,
): Promise<ProxyProbe> {
  const url = new URL(proxy.url);
  const socket = socketTo(url);
  const cancelled = token?.onCancellationRequested(() => socket.destroy());
  const limit = destroyAfter(socket, timeoutMs);
  try {
    const look = await new Promise<ProxyProbe>((resolve) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        const asksForTunnel = target.protocol === 'https:' && !url.protocol.startsWith('socks');
        if (asksForTunnel) ask(socket, tunnelRequest(target, authorizationOf(proxy)), resolve);
        else resolve({});
      });
      socket.once('error', (error) => resolve({ error: networkFailure(error, false) }));
      socket.once('close', () => {
        const detail = 'the proxy closed the connection';
        resolve({ error: new McpError('unreachable', { detail }) });
      });
    });
    if (token?.isCancellationRequested === true) throw new McpError('cancelled');
    return look;
  } finally {
    clearTimeout(limit);
    cancelled?.dispose();
    socket.destroy();
  }
}

const ports: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const socksPort = 1080;

function socketTo({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  const place = { host, port: Number(port) || (ports[protocol] ?? socksPort) };
  return protocol === 'https:' ? connectTls(place) : connectTcp(place);
}

function ask(socket: Socket, text: string, answered: (look: ProxyProbe) => void): void {
  let answer = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    answer = (answer + chunk).slice(0, maxAnswerChars);
    const [, status] = /^HTTP\/1\.[01] (\d{3})\b/.exec(answer) ?? [];
    if (status !== undefined) answered({ status: Number(status) });
    else if (answer.includes('\n') || answer.length === maxAnswerChars) {
      const detail = 'the proxy speaks no HTTP';
      answered({ error: new McpError('unreachable', { detail }) });
    }
  });
  socket.write(text);
}

function tunnelRequest({ hostname, port }: URL, authorization: string | undefined): string {
  const place = `${hostname}:${port === '' ? ports['https:'] : port}`;
  const who = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  return `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${who}\r\n`;
}

function authorizationOf({ url, authorization }: Proxy): string | undefined {
  // A line break would inject another header.
  if (authorization !== undefined) return authorization.replaceAll(/[\r\n]/g, '');
  const pair = userInfoOf(new URL(url));
  return pair && `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** The reason why no secure connection was established, if known. */
export type TlsErrorKind =
  | 'selfSigned'
  /** The issuer is not trusted by this machine, or the server omits an intermediate certificate. */
  | 'unknownIssuer'
  | 'expired'
  | 'notYetValid'
  | 'wrongHost'
  /** The peer does not speak TLS. */
  | 'notTls'
  | 'other';

/** Facts from a certificate: untrusted, each text at most 500 characters. */
export interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  readonly validFrom: string;
  readonly validTo: string;
  /** The host names that the certificate is valid for. */
  readonly names: string;
}

const troubles: Readonly<Record<string, TlsErrorKind>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'selfSigned',
  SELF_SIGNED_CERT_IN_CHAIN: 'selfSigned',
  UNABLE_TO_GET_ISSUER_CERT: 'unknownIssuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknownIssuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknownIssuer',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'notYetValid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrongHost',
  ERR_SSL_WRONG_VERSION_NUMBER: 'notTls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'notTls',
};

/** Classifies an error of Node's TLS. */
function classifyTlsError(error: unknown): TlsErrorKind {
  if (!(error instanceof Error)) return 'other';
  const { code = '', message }: NodeJS.ErrnoException = error;
  // Older versions of Node use one code for every failure before certificates are checked.
  const isNotTls = /wrong version number|packet length too long/.test(message);
  return isNotTls ? 'notTls' : (troubles[code] ?? 'other');
}

/**
 * Returns the certificate that the server at `url` presents, even an untrusted one: only the
 * beginning of a handshake is sent. `undefined` if none arrives in time. Never rejects.
 */
async function certificateAt(
  url: URL,
  timeoutMs: number,
  token?: CancellationToken,
): Promise<CertificateFacts | undefined> {
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  const socket = connect({
    host,
    port: Number(url.port) || 443,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    // The certificate is only inspected: no request uses this connection.
    rejectUnauthorized: false,
  });
  const limit = destroyAfter(socket, timeoutMs);
  const cancelled = token?.onCancellationRequested(() => socket.destroy());
  try {
    return await new Promise((resolve) => {
      const nothing = (): void => resolve(undefined);
      socket.once('secureConnect', () => resolve(factsOf(socket.getPeerCertificate())));
      socket.once('error', nothing);
      socket.once('close', nothing);
    });
  } finally {
    clearTimeout(limit);
    cancelled?.dispose();
    socket.destroy();
  }
}

function readTlsFacts(socket: TLSSocket): { protocol: string; validTo: string } {
  const { valid_to: validTo }: Partial<PeerCertificate> = socket.getPeerCertificate();
  return { protocol: socket.getProtocol() ?? '?', validTo: validTo ?? '?' };
}

function factsOf(certificate: PeerCertificate): CertificateFacts {
  // Without a certificate, all fields are missing.
  const { subject, issuer, valid_from, valid_to, subjectaltname }: Partial<PeerCertificate> =
    certificate;
  return {
    subject: shortened(subject?.CN),
    issuer: shortened(issuer?.CN ?? issuer?.O),
    validFrom: shortened(valid_from),
    validTo: shortened(valid_to),
    names: shortened(subjectaltname ?? subject?.CN),
  };
}

/** Name fields can occur several times. */
function shortened(text: string | readonly string[] | undefined): string {
  return (typeof text === 'string' ? text : (text ?? []).join(', ')).slice(0, maxChars);
}
