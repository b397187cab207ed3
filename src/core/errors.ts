/**
 * Why something about a server did not work. The list is closed: `ui/present.ts` has one sentence
 * for each, and a test fails when one is missing.
 */
export type McpErrorCode =
  // starting
  | 'programNotFound'
  | 'spawnFailed'
  | 'exitedEarly'
  | 'handshakeTimeout'
  | 'handshakeFailed'
  | 'unsupportedRevision'
  | 'unsupportedTransport'
  | 'missingVariable'
  | 'invalidConfiguration'
  // a running connection
  | 'connectionClosed'
  | 'messageTooLarge'
  | 'writeFailed'
  // a server that is reached over HTTP
  /** Nothing was sent: no such host, nobody listens, or no HTTP is spoken there. */
  | 'unreachable'
  | 'tlsError'
  /** The connection broke after the request was sent: it may have had an effect. */
  | 'connectionLost'
  | 'unauthorized'
  | 'httpError'
  | 'redirectRefused'
  | 'unexpectedContentType'
  | 'answerTooLarge'
  /** The server forgot the session; the refused request had no effect. */
  | 'sessionLost'
  // one request
  | 'timeout'
  | 'cancelled'
  | 'serverError'
  | 'invalidResult'
  | 'unsupportedFeature'
  /** The server insists on something of the client that this one does not have. */
  | 'capabilityRequired'
  /** The server asked for input, in the middle of a call, that cannot be given. */
  | 'inputNotPossible'
  /** The server asked for input, or for patience, without an end. */
  | 'tooManyRounds'
  /** Something has to be done in the browser before the call is made again. */
  | 'browserStepRequired'
  // the host
  | 'notRunning'
  | 'untrustedWorkspace'
  | 'unknownServer'
  | 'unknownTool'
  | 'unusableTool'
  | 'toolChanged'
  | 'invalidArguments'
  | 'internal';

/** Facts that go with a code; plain data, so that the ui can make sentences of them. */
export interface McpErrorFacts {
  /** Text from outside (a server, the system): untrusted, unbounded. */
  readonly detail?: string;
  /** JSON-RPC error code and data as the server sent them (code `serverError`). */
  readonly rpcCode?: number;
  readonly rpcData?: unknown;
  readonly exitCode?: number;
  readonly signal?: string;
  /** The last lines that the process wrote to stderr; untrusted. */
  readonly stderrTail?: string;
  readonly limit?: number;
  /** Status of the HTTP answer that carried the error, whatever the code. */
  readonly httpStatus?: number;
  /** The `WWW-Authenticate` header of that answer: untrusted, at most 8,192 characters. */
  readonly wwwAuthenticate?: string;
  /** What the server asks to wait before another try. */
  readonly retryAfterMs?: number;
  /** The request was refused or never sent: it can be sent again without doing anything twice. */
  readonly hadNoEffect?: true;
  readonly cause?: unknown;
}

/** The one error class of core and host. Test with {@link isMcpError}, never by message. */
export class McpError extends Error {
  constructor(
    readonly code: McpErrorCode,
    readonly facts: McpErrorFacts = {},
  ) {
    super(facts.detail === undefined ? code : `${code}: ${facts.detail}`, { cause: facts.cause });
    this.name = 'McpError';
  }
}

/** Whether `error` is ours and, if `code` is given, has that code. */
export function isMcpError(error: unknown, code?: McpErrorCode): error is McpError {
  return error instanceof McpError && (code === undefined || error.code === code);
}

/** `error` if it is ours, otherwise an `internal` one that carries its text. Never throws. */
export function toMcpError(error: unknown): McpError {
  if (isMcpError(error)) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new McpError('internal', { detail, cause: error });
}

/** `error` for a request that it kept from being taken, so that it can be sent again. */
export function withoutEffect(error: McpError): McpError {
  return new McpError(error.code, { ...error.facts, hadNoEffect: true });
}

/** Makes a missing `case` a type error. */
export function assertNever(value: never): never {
  throw new McpError('internal', { detail: `unexpected value ${JSON.stringify(value)}` });
}
