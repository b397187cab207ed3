import type { HttpBody } from './decodedBody';
import { isMcpError, McpError } from '../errors';
import { headerOf } from './decodedBody';
import type { HttpHeaders } from './httpEndpoint';
import { isObject } from '../json/shapes';
import { serverError } from '../rpc/incoming';
import type { TransportSession } from '../rpc/transport';
import type { Revision } from '../types';
import type { StreamLosses } from './streamLosses';

/** Whoever sends these wants credentials, or patience. */
const otherStatuses: ReadonlySet<number> = new Set([401, 403, 429]);
/** Codes that transports and gateways use; tools have their own. */
const ownCodes: ReadonlySet<number | undefined> = new Set([-32600, -32000, -32001]);
const deniesSession =
  /\bsession(?:id)?\b[^.]{0,80}\b(?:not found|unknown|expired|invalid|lost|terminated|closed|no longer|does(?: not|n['’]t) exist|not recogni[sz]ed)\b|\b(?:unknown|invalid|expired|missing|no such|no(?: valid)?)\b[^.]{0,24}\bsession(?:id)?\b/i;
/** No handshake has been, as the server remembers: only the protocol speaks so. */
const missesHandshake =
  /\b(?:request|message|method|call|received|sent)\b.{0,80}\b(?:before initialization|invalid during session initialization)\b/i;
/** Tools say much the same of what is behind them. */
const isUninitialized =
  /(?:^|\bbad request: ?|\b(?:server|session|transport|mcp) (?:(?:is|was|has) )?)not (?:been |yet )*initialized\b/i;

const visibleAscii = /^[\x21-\x7e]+$/;

/** Whether a header can carry it. */
export function isSessionId(id: string): boolean {
  return id.length <= 4_096 && visibleAscii.test(id);
}

/** A session of the stateful era that is open already. */
export interface JoinedSession {
  /** Visible ASCII. */
  readonly id: string;
  readonly revision: Revision;
}

/**
 * What a stateful server and we agreed on, learned from the answer to `initialize` as it passes.
 * The id is a secret: it is in no log and no error (R-167).
 *
 * Spec: 2025-11-25 basic/transports#session-management
 */
export class HttpSession implements TransportSession {
  #id: string | undefined;
  #headers: HttpHeaders = {};
  #hadStream = false;
  #isJoined = false;
  /** Of what needs the session after the connection. */
  #holds = 0;
  readonly #streamLosses: StreamLosses;

  /** `joined`: a session that another connection began. */
  constructor(streamLosses: StreamLosses, joined?: JoinedSession) {
    this.#streamLosses = streamLosses;
    if (joined === undefined) return;
    this.#isJoined = true;
    this.#id = joined.id;
    this.#headers = { 'Mcp-Session-Id': joined.id, 'MCP-Protocol-Version': joined.revision };
  }

  get id(): string | undefined {
    return this.#id;
  }

  hold(): () => void {
    this.#holds += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#holds -= 1;
      isHeld = false;
    };
  }

  /** Whether the session is to be ended with the connection. */
  get endsWithConnection(): boolean {
    return this.hasId && this.#holds === 0 && !this.#isJoined;
  }

  /** A GET brought a stream: servers that say 404 for "no such thing" have none to begin with. */
  streamed(): void {
    this.#hadStream = true;
  }

  get hasId(): boolean {
    return this.#id !== undefined;
  }

  /** For every request after `initialize`, and none before (R-161 to R-166). */
  get headers(): HttpHeaders {
    return this.#headers;
  }

  /**
   * Takes the id from the HTTP answer that carries `result` (R-164), whatever the result is.
   * @throws {McpError} invalidResult when the id cannot be sent back
   */
  open(carrier: HttpBody, result: unknown): void {
    const id = carrier.headers['mcp-session-id'];
    if (id !== undefined && (typeof id !== 'string' || !visibleAscii.test(id))) {
      throw new McpError('invalidResult', { detail: 'the session id is no visible ASCII' });
    }
    const revision = isObject(result) ? result.protocolVersion : undefined;
    const canBeSent = typeof revision === 'string' && /^[\x21-\x7e]{1,64}$/.test(revision);
    this.#id = id;
    this.#hadStream = false;
    this.#headers = {
      ...(id === undefined ? {} : { 'Mcp-Session-Id': id }),
      ...(canBeSent ? { 'MCP-Protocol-Version': revision } : {}),
    };
  }

  /**
   * Some servers give their session another id with each answer, of which the last one counts. Only
   * where there is one at all, and as it can be sent back.
   */
  follow(carrier: HttpBody): void {
    if (this.#id === undefined) return;
    const id = headerOf(carrier, 'mcp-session-id');
    if (id === undefined || id === this.#id || !visibleAscii.test(id)) return;
    this.#id = id;
    this.#headers = { ...this.#headers, 'Mcp-Session-Id': id };
  }

  forget(): void {
    this.#id = undefined;
    this.#hadStream = false;
    this.#headers = {};
  }

  /**
   * Whether an answer to a request with our session id says that the server does not know it: 404
   * (R-168), 410, or in words, with whatever status is not about something else (R-170).
   */
  isDenied(error: unknown): boolean {
    return this.#id !== undefined && saysSessionLost(error, this.#id);
  }

  /**
   * The same of an error that came with status 200, as the failure of its request. `isOwn`: it has the id
   * of the request, so something behind the server may have seen that.
   */
  denialIn(error: unknown, isOwn: boolean): McpError | undefined {
    const { facts } = serverError(error);
    const isOfProtocol = ownCodes.has(facts.rpcCode) || missesHandshake.test(facts.detail ?? '');
    const mayMeanIt = !isOwn || isOfProtocol;
    const effect = isOwn ? {} : { hadNoEffect: true as const };
    const failure = new McpError('serverError', { ...facts, httpStatus: 200, ...effect });
    return mayMeanIt && this.isDenied(failure) ? failure : undefined;
  }

  /**
   * The same of an answer to a GET, whose 404 has two meanings: without a stream before it, that
   * the server has none, like 405 (R-173).
   */
  isStreamDenied(error: unknown): boolean {
    return this.#hadStream && this.isDenied(error) && this.#streamLosses.allow();
  }
}

/** Whether the answer to a request of a session means that the server does not know that. */
export function saysSessionLost(error: unknown, id = ''): boolean {
  if (!isMcpError(error)) return false;
  const { httpStatus = 0, detail = '' } = error.facts;
  if (httpStatus === 404 || httpStatus === 410) return true;
  if (httpStatus < 200 || otherStatuses.has(httpStatus)) return false;
  // An id may hold the dots that end a sentence.
  const words = id === '' ? detail : detail.replaceAll(id, '…');
  return [deniesSession, missesHandshake, isUninitialized].some((each) => each.test(words));
}

/** Whether the request had no effect: one that was taken, or failed within the server, may have had one. */
export function wasRefused({ facts: { httpStatus = 0, hadNoEffect } }: McpError): boolean {
  return hadNoEffect === true || (httpStatus >= 300 && httpStatus < 500);
}
