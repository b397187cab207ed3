import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { TLSSocket } from 'node:tls';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError, type McpErrorFacts, toMcpError } from '../errors';
import { decodedBody } from './decodedBody';
import { checkedHeaders, type HttpHeaders, parseEndpoint, markAnonymous } from './httpEndpoint';
import { networkFailure } from './httpFailure';
import { httpErrorOf } from './httpResume';
import {
  type CertificateFacts,
  certificateAt,
  readTlsFacts,
  type TlsErrorKind,
  classifyTlsError,
} from './tlsFacts';

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

/** A request without effect on any server. */
const question = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'server/discover', params: {} });
const maxChars = 500;

/**
 * Sends one request and records each step: name, connection, certificate, status and headers of the
 * answer. The body is read only if it explains a refusal. Rejects only for an invalid URL.
 * @throws {McpError} invalidConfiguration
 */
export async function probeHttp(
  address: string,
  headers: HttpHeaders,
  timeoutMs: number,
  token?: CancellationToken,
): Promise<HttpProbe> {
  const { url, socketPath } = parseEndpoint(address);
  const look: { -readonly [K in keyof HttpProbe]: HttpProbe[K] } = {};
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send(url, {
    method: 'POST',
    ...(socketPath === undefined ? {} : { socketPath }),
    headers: {
      ...checkedHeaders(headers),
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(question),
    },
    timeout: timeoutMs,
  });
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
      request.once('timeout', () => request.destroy(new Error(`no answer in ${timeoutMs} ms`)));
      request.end(question);
    });
    look.status = answer.statusCode ?? 0;
    const { 'content-type': contentType, 'www-authenticate': challenge } = answer.headers;
    if (contentType !== undefined) look.contentType = contentType.slice(0, maxChars);
    if (challenge !== undefined) look.challenge = challenge.slice(0, maxChars);
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
    cancelled?.dispose();
    request.destroy();
  }
}
