import { isSameOrigin, parseEndpoint, type HttpEndpoint } from '../http/httpEndpoint';
import { mediaTypeOf } from '../http/httpBody';
import type { HttpBody } from '../http/decodedBody';
import { HttpExchange } from '../http/httpExchange';
import type { Icon } from '../types';
import { showableIcon, maxIconBytes } from './showableIcon';
import type { IconImage } from './imageFormat';
import { orderedIcons } from './iconOrder';
import { isLoopbackHost } from '../thisMachine';

const maxAddressChars = 2_000;
/** The second one is for a server whose first is broken; more would only be more requests. */
const maxAddresses = 2;

const mediaTypes: ReadonlyMap<string, IconImage['mediaType']> = new Map([
  ['image/png', 'image/png'],
  ['image/jpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/webp', 'image/webp'],
]);

/** An icon that may be fetched: where it is, and the server of which it is. */
export interface IconAddress {
  readonly url: URL;
  readonly endpoint: HttpEndpoint;
}

/**
 * Which of the icons may be fetched from a server that is reached at `serverUrl`, best first: those
 * on its own origin, over `https:`, or over `http:` where the server itself runs on this
 * machine. So no address is reached that the connection to the server does not reach
 * already, private networks included. A server without an origin has none.
 */
export function fetchableIcons(
  icons: readonly Icon[] | undefined,
  theme: 'light' | 'dark',
  serverUrl: string,
): readonly IconAddress[] {
  const endpoint = originOf(serverUrl);
  if (endpoint === undefined) return [];
  const addresses = orderedIcons(icons, theme).flatMap(({ src }) => {
    const url = src.length <= maxAddressChars && URL.canParse(src) ? new URL(src) : undefined;
    if (url === undefined || !isSameOrigin(endpoint, url) || !isEncryptedOrLocal(url)) return [];
    // The server must not choose what is sent as a name and a password.
    if (url.username !== '' || url.password !== '') return [];
    url.hash = '';
    return [{ url, endpoint }];
  });
  return addresses.slice(0, maxAddresses);
}

/**
 * The bytes of the picture at an address, of at most 32 KiB; `undefined` for whatever else is there
 * or goes wrong. Sends neither cookies nor credentials, and follows redirects
 * within the origin only.
 */
export async function fetchIcon(
  { url, endpoint }: IconAddress,
  timeoutMs: number,
): Promise<Uint8Array | undefined> {
  const headers = { Accept: [...new Set(mediaTypes.values())].join(', ') };
  const request = { method: 'GET', headers, isRepeatable: true } as const;
  const exchange = new HttpExchange(endpoint, request, url);
  const timer = setTimeout(() => exchange.abort(), timeoutMs);
  try {
    const { status, message } = await exchange.answer;
    const mediaType = mediaTypes.get(mediaTypeOf(message));
    if (status !== 200 || mediaType === undefined) return undefined;
    const bytes = await readAll(message);
    // What the bytes are, and what they are said to be.
    return showableIcon(bytes, mediaType) === undefined ? undefined : bytes;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    // Nothing of an answer that is not wanted is waited for.
    exchange.abort();
  }
}

/** Its own endpoint has the credentials of the person in it: what is asked here has none. */
function originOf(serverUrl: string): HttpEndpoint | undefined {
  try {
    const { url, socketPath } = parseEndpoint(serverUrl);
    return socketPath === undefined ? { url: new URL(url.origin) } : undefined;
  } catch {
    // Variables that are known at its start only, or no address at all.
    return undefined;
  }
}

function isEncryptedOrLocal({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || isLoopbackHost(hostname);
}

/** @throws when it is too long, or breaks off */
async function readAll(message: HttpBody): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > maxIconBytes) throw new Error('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
