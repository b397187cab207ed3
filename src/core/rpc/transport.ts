import type { Event, MessageReader, MessageWriter } from 'vscode-jsonrpc/node';
import type { McpError, MessageFraming } from '../errors';
import type { ServerFloods } from './serverFloods';

/**
 * Key in the params of a request for additional headers of the era, such as `Mcp-Param-*`, if the
 * transport uses HTTP: `params[extraHeaders]` is a record of encoded header values. JSON
 * ignores symbols, so nothing of it gets into the body.
 */
export const extraHeaders = Symbol('extra headers');

/**
 * A writer may return this for a queued message whose completion is never reported, so that callers
 * can skip awaiting it, which would cost time in every call.
 */
export const alreadyQueued: Promise<void> = Promise.resolve();

/** A session of a stateful server, which may outlive the connection. */
export interface TransportSession {
  /** Secret. Absent if the server gave none. */
  readonly id: string | undefined;
  /** Keeps the session alive after the connection, until the returned function is called. */
  hold(): () => void;
}

/**
 * A connection to one server over any medium. The reader emits every parsed JSON value as received,
 * including those that are not messages; the writer keeps the order of its messages.
 */
export interface Transport {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  /** Counts what could not be parsed as a message, if the transport does so. */
  readonly floods?: ServerFloods;
  /** The beginning of lines that are not JSON. Untrusted, bounded, and counted by `floods`. */
  readonly onUnreadableLine?: Event<string>;
  /** The process id, if there is a process. */
  readonly pid?: number;
  /** Absent if nothing of the server outlives the connection. */
  readonly session?: TransportSession;
  /** Output of the other side besides its messages, for errors. Untrusted, bounded. */
  stderrTail?(): string;
  /** The beginning of an incomplete message. Untrusted, bounded. */
  unfinished?(): string;
  /** How the other side separates messages if it does not write one per line. */
  misframed?(): MessageFraming | undefined;
  /**
   * For a background request that was refused for lack of a sign-in: resolves when another request
   * was accepted after a sign-in. Rejects when the connection ends.
   */
  readonly untilSignedIn?: () => Promise<void>;
  /**
   * Says why the other side is gone. Called after the reader or writer closed. May wait a moment
   * for the reason, because a process that exits closes its pipes first. Never rejects.
   */
  explainEnd(): Promise<McpError>;
  /**
   * Ends the connection; idempotent. `orderly` gives the server time to exit, `atOnce` does not.
   * Resolves when nothing of it is left. Never rejects.
   */
  close(manner: 'orderly' | 'atOnce'): Promise<void>;
}
