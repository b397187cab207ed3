import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type webcrypto,
} from 'node:crypto';
import {
  allowInsecureRequests,
  customFetch,
  DPoP,
  modifyAssertion,
  protectedResourceRequest,
  type DPoPHandle,
} from 'oauth4webapi';
import type { HttpHeaders } from '../http/httpMessage';
import type { AuthorizedRequest } from '../http/authorizedExchange';

/** The only algorithm that proofs are signed with: every server that takes proofs knows it. */
export const proofAlgorithm = 'ES256';

const curve = { name: 'ECDSA', namedCurve: 'P-256' };
const maxNonceChars = 2_000;

/** Returns the value of a `DPoP-Nonce` header if it may be repeated in a proof (RFC 9449, 8.1). */
export function usableNonce(value: unknown): string | undefined {
  const isUsable = typeof value === 'string' && value.length <= maxNonceChars;
  return isUsable && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value) ? value : undefined;
}

/**
 * The key that the tokens of one grant are bound to (RFC 9449). A token without a proof of this key
 * is of no use, and a proof is for one request only.
 */
export class ProofKey {
  /** Secret. The private key in PKCS 8 format, as base64url. */
  readonly text: string;
  /** Signs requests to token endpoints, whose nonces it remembers. */
  readonly handle: DPoPHandle;
  /** The last nonce of the resource, which differs from those of token endpoints. */
  #nonce: string | undefined;

  private constructor(text: string, keys: webcrypto.CryptoKeyPair) {
    this.text = text;
    this.handle = DPoP({}, keys, {
      [modifyAssertion]: (_header, payload) => {
        // Only proofs for a resource have a hash of the token.
        if ('ath' in payload && payload.ath !== undefined && this.#nonce !== undefined) {
          payload.nonce = this.#nonce;
        }
      },
    });
  }

  /** @param learn is given the private key before its first use */
  static async generate(learn: (secret: string) => void): Promise<ProofKey> {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: curve.namedCurve });
    const text = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url');
    learn(text);
    return new ProofKey(text, await importKeys(text));
  }

  /** Returns `undefined` for a text that is not the private key of such a pair. */
  static async read(text: string): Promise<ProofKey | undefined> {
    const keys = await importKeys(text).catch(() => undefined);
    return keys === undefined ? undefined : new ProofKey(text, keys);
  }

  /** Returns the headers of one request with this token. */
  async headers(accessToken: string, { method, url }: AuthorizedRequest): Promise<HttpHeaders> {
    let made: Record<string, string> = {};
    // The library signs only what it sends, so this takes the headers and sends nothing.
    await protectedResourceRequest(accessToken, method, url, undefined, undefined, {
      DPoP: this.handle,
      [allowInsecureRequests]: true,
      [customFetch]: (_url, { headers }) => {
        made = headers;
        return Promise.resolve(new Response());
      },
    });
    const { authorization = '', dpop = '' } = made;
    return { Authorization: authorization, DPoP: dpop };
  }

  /** The resource wants this in later proofs. Returns false if it cannot be used. */
  takeNonce(value: string): boolean {
    const nonce = usableNonce(value);
    if (nonce !== undefined) this.#nonce = nonce;
    return nonce !== undefined;
  }
}

async function importKeys(text: string): Promise<webcrypto.CryptoKeyPair> {
  const key = createPrivateKey({
    key: Buffer.from(text, 'base64url'),
    format: 'der',
    type: 'pkcs8',
  });
  const own = key.export({ type: 'pkcs8', format: 'der' });
  const shared = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const { subtle } = crypto;
  return {
    privateKey: await subtle.importKey('pkcs8', new Uint8Array(own), curve, false, ['sign']),
    publicKey: await subtle.importKey('spki', new Uint8Array(shared), curve, true, ['verify']),
  };
}
