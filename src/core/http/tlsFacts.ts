import { isIP } from 'node:net';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { CancellationToken } from 'vscode-jsonrpc/node';

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

const maxChars = 500;

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
export function classifyTlsError(error: unknown): TlsErrorKind {
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
    // The certificate is only inspected: no request uses this connection.
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

export function readTlsFacts(socket: TLSSocket): { protocol: string; validTo: string } {
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
