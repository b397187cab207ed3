import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import { networkFailure } from './httpFailure';

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
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer in ${timeoutMs} ms`)));
  try {
    const look = await new Promise<ProxyProbe>((resolve) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        const asksForTunnel = target.protocol === 'https:' && !url.protocol.startsWith('socks');
        if (asksForTunnel) ask(socket, question(target, authorizationOf(proxy)), resolve);
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

function question({ hostname, port }: URL, authorization: string | undefined): string {
  const place = `${hostname}:${port === '' ? ports['https:'] : port}`;
  const who = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  return `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${who}\r\n`;
}

function authorizationOf({ url, authorization }: Proxy): string | undefined {
  // A line break would inject another header.
  if (authorization !== undefined) return authorization.replaceAll(/[\r\n]/g, '');
  const { username, password } = new URL(url);
  if (username === '') return undefined;
  const pair = [username, password].map(decoded).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
