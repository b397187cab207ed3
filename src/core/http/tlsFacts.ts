import { isIP } from 'node:net';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { CancellationToken } from 'vscode-jsonrpc/node';

/** Why no secure connection came about, as far as it can be told. */
export type TlsTrouble =
  | 'selfSigned'
  /** Nobody whom this machine trusts has signed it, or the server leaves out who did. */
  | 'unknownIssuer'
  | 'expired'
  | 'notYetValid'
  | 'wrongHost'
  /** Whoever listens there speaks no TLS. */
  | 'notTls'
  | 'other';

/** What a certificate says of itself: untrusted, each text at most 500 characters. */
export interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  readonly validFrom: string;
  readonly validTo: string;
  /** The hosts that it is for. */
  readonly names: string;
}

const maxChars = 500;

const troubles: Readonly<Record<string, TlsTrouble>> = {
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

/** What an error of Node's TLS means. */
export function tlsTrouble(error: unknown): TlsTrouble {
  if (!(error instanceof Error)) return 'other';
  const { code = '', message }: NodeJS.ErrnoException = error;
  // Older versions of Node have one code for all that goes wrong before certificates are looked at.
  const isNotTls = /wrong version number|packet length too long/.test(message);
  return isNotTls ? 'notTls' : (troubles[code] ?? 'other');
}

/**
 * The certificate that the server at `url` shows, also one that nobody should trust: nothing is sent
 * but the beginning of a handshake. `undefined` where none is shown in time. Never rejects.
 */
export async function certificateAt(
  url: URL,
  timeoutMs: number,
  token?: CancellationToken,
): Promise<CertificateFacts | undefined> {
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  const socket = connect({
    host,
    port: Number(url.port) || 443,
    timeout: timeoutMs,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    // Only looked at: no request goes over this connection.
    rejectUnauthorized: false,
  });
  const cancelled = token?.onCancellationRequested(() => socket.destroy());
  try {
    return await new Promise((resolve) => {
      const nothing = (): void => resolve(undefined);
      socket.once('secureConnect', () => resolve(factsOf(socket.getPeerCertificate())));
      socket.once('timeout', nothing);
      socket.once('error', nothing);
      socket.once('close', nothing);
    });
  } finally {
    cancelled?.dispose();
    socket.destroy();
  }
}

export function tlsOf(socket: TLSSocket): { protocol: string; validTo: string } {
  const { valid_to: validTo }: Partial<PeerCertificate> = socket.getPeerCertificate();
  return { protocol: socket.getProtocol() ?? '?', validTo: validTo ?? '?' };
}

function factsOf(certificate: PeerCertificate): CertificateFacts {
  // A server may show none, and then nothing of it is there.
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

/** Fields of names can come several times. */
function shortened(text: string | readonly string[] | undefined): string {
  return (typeof text === 'string' ? text : (text ?? []).join(', ')).slice(0, maxChars);
}
