import type { Event, MessageReader, MessageWriter } from 'vscode-jsonrpc/node';
import type { McpError, MessageFraming } from '../errors';
import type { ServerFloods } from './serverFloods';

/**
 * Key in the params of a request under which its era leaves further headers, such as
 * `Mcp-Param-*`, for a transport over HTTP: `params[extraHeaders]` is a record of header values,
 * ready to be sent. JSON does not see a symbol, so nothing of it reaches a body.
 */
export const extraHeaders = Symbol('extra headers');

/**
 * What a writer may return for a message that it has queued, when nothing about its writing will
 * ever be known: then nobody has to look at the promise, which would cost every call.
 */
export const queued: Promise<void> = Promise.resolve();

/** A session of a stateful server, which may outlive the connection. */
export interface TransportSession {
  /** A secret; absent: the server gave none. */
  readonly id: string | undefined;
  /** Keeps the session from being ended with the connection, until the returned function is called. */
  hold(): () => void;
}

/**
 * A way to one server, whatever carries it. The reader hands out every parsed JSON value as it
 * came (also what is no message); the writer keeps the order of its messages.
 */
export interface Transport {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  /** Where the transport counts what it could not make a message of; absent: it has none. */
  readonly floods?: ServerFloods;
  /** Lines that are no JSON, the beginning of each. Untrusted, bounded, counted by `floods`. */
  readonly onUnreadableLine?: Event<string>;
  /** The process, where there is one. */
  readonly pid?: number;
  /** Absent: nothing of the server outlives the connection. */
  readonly session?: TransportSession;
  /** What the other side said beside its messages; for errors. Untrusted, bounded. */
  stderrTail?(): string;
  /** What came for a message and has no end yet, the beginning of it. Untrusted, bounded. */
  unfinished?(): string;
  /** How the other side separates its messages, where it does not write one per line. */
  misframed?(): MessageFraming | undefined;
  /**
   * For a request that was refused for want of a sign-in, and for which nobody is asked: resolves
   * when another one was taken with a new sign-in. Rejects when the connection ends.
   */
  readonly untilSignedIn?: () => Promise<void>;
  /**
   * Why the other side went away; asked for after the reader or the writer closed. May wait a
   * moment for the fact (a process that exits closes its pipes first). Never rejects.
   */
  explainEnd(): Promise<McpError>;
  /**
   * Ends the connection; idempotent. `orderly` gives the server time to leave by itself,
   * `atOnce` does not. Resolves when nothing of it is left. Never rejects.
   */
  close(manner: 'orderly' | 'atOnce'): Promise<void>;
}
