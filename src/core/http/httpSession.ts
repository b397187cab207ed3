import { type HttpBody, headerOf } from './httpBody';
import { isMcpError, McpError } from '../errors';
import type { HttpHeaders } from './httpMessage';
import { isObject } from '../json/shapes';
import { serverError } from '../rpc/incoming';
import type { TransportSession } from '../rpc/transport';
import type { Revision } from '../types';
import type { StreamLosses } from './sseStream';

/** Statuses that ask for credentials or for patience. */
const otherStatuses: ReadonlySet<number> = new Set([401, 403, 429]);
/** Codes that transports and gateways use; tools use others. */
const ownCodes: ReadonlySet<number | undefined> = new Set([-32600, -32000, -32001]);
const deniesSession =
  /\bsession(?:id)?\b[^.]{0,80}\b(?:not found|unknown|expired|invalid|lost|terminated|closed|no longer|does(?: not|n['’]t) exist|not recogni[sz]ed)\b|\b(?:unknown|invalid|expired|missing|no such|no(?: valid)?)\b[^.]{0,24}\bsession(?:id)?\b/i;
/** Messages that say that the server knows of no handshake: only the protocol uses this wording. */
const missesHandshake =
  /\b(?:request|message|method|call|received|sent)\b.{0,80}\b(?:before initialization|invalid during session initialization)\b/i;
/** Tools use similar wording about their backends, so the subject is part of the pattern. */
const isUninitialized =
  /(?:^|\bbad request: ?|\b(?:server|session|transport|mcp) (?:(?:is|was|has) )?)not (?:been |yet )*initialized\b/i;

const visibleAscii = /^[\x21-\x7e]+$/;

/** True if a header can carry the id. */
export function isSessionId(id: string): boolean {
  return id.length <= 4_096 && visibleAscii.test(id);
}

/** A session of the stateful era that is already open. */
export interface JoinedSession {
  /** Session id; visible ASCII. */
  readonly id: string;
  readonly revision: Revision;
}

/**
 * The session agreed on with a stateful server, learned from the answer to `initialize` as it
 * passes. The id is a secret: it is in no log and no error (R-167).
 *
 * Spec: 2025-11-25 basic/transports#session-management
 */
export class HttpSession implements TransportSession {
  #id: string | undefined;
  #headers: HttpHeaders = {};
  #hadStream = false;
  #isJoined = false;
  /** Number of holders that need the session after the connection. */
  #holds = 0;
  readonly #streamLosses: StreamLosses;

  /** @param joined a session that another connection began */
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

  /** True if the session is to be ended with the connection. */
  get endsWithConnection(): boolean {
    return this.hasId && this.#holds === 0 && !this.#isJoined;
  }

  /**
   * Called when a GET returned a stream. Before that, a 404 means that the server has no such
   * stream.
   */
  streamed(): void {
    this.#hadStream = true;
  }

  get hasId(): boolean {
    return this.#id !== undefined;
  }

  /** Headers for every request after `initialize`, and for none before (R-161 to R-166). */
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
   * Takes the new id that some servers send with each answer; the last one is valid. Ignored
   * without a session, and if the id cannot be sent back.
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
   * True if an answer to a request with our session id says that the server does not know the
   * session: 404 (R-168), 410, or a message with any status that has no other meaning (R-170).
   */
  isDenied(error: unknown): boolean {
    return this.#id !== undefined && isSessionLost(error, this.#id);
  }

  /**
   * Returns the failure if an error with status 200 denies the session.
   * @param isOwn true if it has the id of the request, so something behind the server may have
   * handled that
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
   * Like {@link isDenied}, for an answer to a GET. Its 404 has two meanings: if there was no stream
   * before, the server offers none, like 405 (R-173).
   */
  isStreamDenied(error: unknown): boolean {
    return this.#hadStream && this.isDenied(error) && this.#streamLosses.allow();
  }
}

/** True if the answer to a request of a session means that the server does not know the session. */
export function isSessionLost(error: unknown, id = ''): boolean {
  if (!isMcpError(error)) return false;
  const { httpStatus = 0, detail = '' } = error.facts;
  if (httpStatus === 404 || httpStatus === 410) return true;
  if (httpStatus < 200 || otherStatuses.has(httpStatus)) return false;
  // An id may contain dots, which end a sentence in the pattern.
  const text = id === '' ? detail : detail.replaceAll(id, '…');
  return [deniesSession, missesHandshake, isUninitialized].some((each) => each.test(text));
}

/**
 * True if the request had no effect. A request that was accepted, or failed within the server, may
 * have had one.
 */
export function isWithoutEffect({ facts: { httpStatus = 0, hadNoEffect } }: McpError): boolean {
  return hadNoEffect === true || (httpStatus >= 300 && httpStatus < 500);
}
