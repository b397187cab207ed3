import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { HttpHeaders } from './httpEndpoint';

/** A request that the server answered with 401 or 403. */
export interface Refusal {
  readonly status: 401 | 403;
  /** Every `WWW-Authenticate` header of the answer: untrusted, at most 8,192 characters in all. */
  readonly challenges: readonly string[];
  /** The headers that {@link RequestAuthorization.headers} gave for the refused request. */
  readonly sent: HttpHeaders;
  /** The method of the refused message, for a call with the name of its tool: `tools/call x`. */
  readonly operation: string;
  /** How often the same request was refused before. */
  readonly attempt: number;
  /** Nobody waits for the request: no person may be asked for its sake. */
  readonly isBackground?: true;
}

/** What authorizes the requests to one server; the transports know no more of it. */
export interface RequestAuthorization {
  /** For the next request; empty where nothing is needed yet. Renews what is about to expire. */
  headers(token?: CancellationToken): Promise<HttpHeaders>;
  /**
   * Does what the refusal asks for, a sign-in of the person included, and resolves when the request
   * may be repeated with new {@link headers}; a refused request had no effect.
   * @throws {McpError} signInNeeded | signInFailed | scopeRefused | unauthorized | cancelled
   */
  refused(refusal: Refusal, token?: CancellationToken): Promise<void>;
}
