import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { HttpHeaders } from './httpEndpoint';

/** A request that is about to be sent. */
export interface AuthorizedRequest {
  readonly method: string;
  readonly url: URL;
}

/** A request that the server answered with 401 or 403. */
export interface AuthorizationRefusal {
  readonly status: 401 | 403;
  /** All `WWW-Authenticate` headers of the answer: untrusted, at most 8,192 characters in all. */
  readonly challenges: readonly string[];
  /** The headers from {@link RequestAuthorization.headers} that the refused request had. */
  readonly sent: HttpHeaders;
  /** The method of the refused message; for a call with the name of its tool: `tools/call x`. */
  readonly operation: string;
  /** Number of earlier refusals of the same request. */
  readonly attempt: number;
  /** Set if no caller waits for the request: the user must not be asked for it. */
  readonly isBackground?: true;
}

/**
 * Authorizes the requests to one server; the transports know only this interface.
 */
export interface RequestAuthorization {
  /**
   * Returns the headers for this request and no other; empty if none are needed yet. Renews tokens
   * that are about to expire.
   */
  headers(request: AuthorizedRequest, token?: CancellationToken): Promise<HttpHeaders>;
  /**
   * Handles the refusal, by a sign-in of the user if needed, and resolves when the request may be
   * repeated with new {@link headers}; a refused request had no effect.
   * @throws {McpError} signInNeeded | signInFailed | scopeRefused | unauthorized | cancelled
   */
  refused(refusal: AuthorizationRefusal, token?: CancellationToken): Promise<void>;
  /**
   * Takes the nonce of an answer for the proofs of later requests (RFC 9449, section 8). Returns
   * true if the request was refused only for want of it.
   */
  takeNonce?(nonce: string, challenges: readonly string[]): Promise<boolean>;
}
