import { boundedJson } from './json/boundedJson';

/**
 * Why an operation on a server failed. The list is closed: `ui/format/sentences.ts` has one
 * sentence for each code, or it does not compile.
 */
export type McpErrorCode =
  // starting
  | 'programNotFound'
  /** The file exists, but may not be executed. */
  | 'programNotExecutable'
  | 'spawnFailed'
  | 'exitedEarly'
  | 'handshakeTimeout'
  | 'handshakeFailed'
  | 'unsupportedRevision'
  | 'missingVariable'
  | 'invalidConfiguration'
  // a running connection
  | 'connectionClosed'
  | 'messageTooLarge'
  /** It sent too much output that is not a message, too many requests, or too long a batch. */
  | 'serverFlood'
  | 'writeFailed'
  | HttpErrorCode
  // one request
  | 'timeout'
  | 'cancelled'
  | 'serverError'
  | 'invalidResult'
  | 'unsupportedFeature'
  /** The server requires a capability that this client does not have. */
  | 'capabilityRequired'
  /** The server asked during a call for input that cannot be given. */
  | 'inputNotPossible'
  /** The server kept asking for input or for repetition. */
  | 'tooManyRounds'
  /** The server ended a task without a result, on its own or for another client. */
  | 'taskCancelled'
  /** The server no longer knows a task that it created. */
  | 'taskLost'
  /**
   * The connection ended while the task of the call continues at the server; it will be resumed.
   */
  | 'taskLeft'
  /** The user has to do something in the browser before the call is repeated. */
  | 'browserStepRequired'
  // the host
  | 'notRunning'
  | 'untrustedWorkspace'
  /** The user has disabled the server. */
  | 'serverDisabled'
  /** The user has disabled the tool. */
  | 'toolDisabled'
  /** The user did not approve how the server is started. Nothing ran. */
  | 'notApproved'
  | 'unknownServer'
  | 'unknownTool'
  | 'unusableTool'
  | 'toolChanged'
  | 'invalidArguments'
  /** Calls have to be recorded before they are made, but this one could not be. */
  | 'journalUnavailable'
  /** Agents asked the user too often. The user was not asked, and nothing was sent. */
  | 'agentPaused'
  /** The server was withdrawn from agents, or agents were disabled, before the call was sent. */
  | 'notExposed'
  | 'internal';

/** Errors of servers that are reached over HTTP only. */
export type HttpErrorCode =
  /**
   * Nothing was sent: the host does not exist, nothing listens there, or it does not speak HTTP.
   */
  | 'unreachable'
  | 'tlsError'
  /** The connection broke after the request was sent, which may have had an effect. */
  | 'connectionLost'
  | 'unauthorized'
  /** The server requires a sign-in, and the user may not be asked for it now. */
  | 'signInNeeded'
  /** A step of the sign-in failed. The request was refused. */
  | 'signInFailed'
  /** The server still demands more scopes after they were requested. */
  | 'scopeRefused'
  | 'httpError'
  | 'redirectRefused'
  | 'unexpectedContentType'
  | 'answerTooLarge'
  /** The server forgot the session. The refused request had no effect. */
  | 'sessionLost';

/** The source of a call's time limit. */
export type TimeLimitSource =
  | { readonly kind: 'default' | 'ceiling' | 'call' }
  /** For one server or tool, under this key of the setting. */
  | { readonly kind: 'own'; readonly key: string };

/** The step at which a sign-in stopped. */
export type SignInStep =
  /** The server's own metadata, which names its authorization servers. */
  | 'resourceMetadata'
  /** The authorization server's metadata. */
  | 'serverMetadata'
  /** The client registration. */
  | 'client'
  /** The address to open in the browser. */
  | 'authorization'
  /** The answer of the browser. */
  | 'answer'
  | 'token'
  /** The server refuses the token that was just issued. */
  | 'use';

/** The kind of messages of which a server sent too many (code `serverFlood`). */
export type MessageFlood = 'garbage' | 'requests' | 'batch';

/** How a server separates messages if it does not write one per line. */
export type MessageFraming = 'contentLength' | 'noNewline' | 'severalLines';

export type MessageMeasure = 'values' | 'levels' | 'lines';

/** Facts about an error: plain data, from which the ui makes sentences. */
export interface McpErrorFacts {
  /** Text from a server or the system. Untrusted and unbounded. */
  readonly detail?: string;
  /** JSON-RPC error code and data as the server sent them (code `serverError`). */
  readonly rpcCode?: number;
  readonly rpcData?: unknown;
  readonly exitCode?: number;
  readonly signal?: string;
  /** The last lines that the process wrote to stderr. Untrusted. */
  readonly stderrTail?: string;
  /** The last output on stdout that is not a message, often a question (codes of starting). */
  readonly stdoutTail?: string;
  /** The first line on stdout that is not a message (code `handshakeTimeout`). Untrusted. */
  readonly printed?: string;
  /** How the possible answer was framed (codes `timeout` and `handshakeTimeout`). */
  readonly misframed?: MessageFraming;
  /** True if a package manager was still working (code `handshakeTimeout`). */
  readonly wasInstalling?: true;
  /** All searched folders in order (code `programNotFound`). */
  readonly searched?: readonly string[];
  readonly limit?: number;
  readonly flood?: MessageFlood;
  /**
   * The unit of `limit`. Defaults to bytes of a message. `lines`: bytes of an event of several
   * lines.
   */
  readonly measure?: MessageMeasure;
  /** Status of the HTTP answer that carried the error, for any code. */
  readonly httpStatus?: number;
  /** The `WWW-Authenticate` header of that answer. Untrusted, at most 8,192 characters. */
  readonly wwwAuthenticate?: string;
  /**
   * True if the server answered 401 without naming a place to sign in, and none was found (code
   * `unauthorized`).
   */
  readonly offersNoSignIn?: true;
  /**
   * True if the request had no header, user name or query that could identify the user (HTTP status
   * 401).
   */
  readonly wasAnonymous?: true;
  /**
   * The failed step (code `signInFailed`). `detail` is the message of the server or the library.
   */
  readonly signInStep?: SignInStep;
  /** The authorization server (codes of a sign-in). Untrusted, at most 2,000 characters. */
  readonly issuer?: string;
  /** The scopes that the server demands (code `scopeRefused`). Untrusted, at most 100. */
  readonly scopes?: readonly string[];
  /** The delay that the server asks for before a retry. */
  readonly retryAfterMs?: number;
  /** True if the request was refused or never sent, so it can safely be sent again. */
  readonly hadNoEffect?: true;
  /** The limit that was in force (code `timeout`); `limit` is in milliseconds. */
  readonly timeLimit?: TimeLimitSource;
  /** True if the call was sent and has no answer, so it may have had an effect. */
  readonly outcomeUnknown?: true;
  /**
   * The answer to `server/discover`, which was sent before the failed handshake: the HTTP status,
   * and the message or error. Untrusted.
   */
  readonly probeStatus?: number;
  readonly probeDetail?: string;
  readonly cause?: unknown;
}

/**
 * The only error class of core and host. Test for it with {@link isMcpError}, never by its message.
 */
export class McpError extends Error {
  constructor(
    readonly code: McpErrorCode,
    readonly facts: McpErrorFacts = {},
  ) {
    const { detail = facts.httpStatus } = facts;
    super(detail === undefined ? code : `${code}: ${detail}`, { cause: facts.cause });
    this.name = 'McpError';
  }
}

/** Longer data is cut, after secrets were looked for in it. */
const maxDataChars = 16 * 1024;

/**
 * Returns the structured details of a server's error as JSON, and a text as it is: at most 16 Ki
 * characters, untrusted. Empty if there are none, or if the user was asked about them.
 */
export function formatErrorData({ code, facts: { rpcData } }: Pick<McpError, 'code' | 'facts'>) {
  if (rpcData === undefined || rpcData === null || code === 'browserStepRequired') return '';
  return typeof rpcData === 'string'
    ? rpcData.slice(0, maxDataChars)
    : boundedJson(rpcData, maxDataChars);
}

/** True if `error` is an `McpError` and, if `code` is given, has that code. */
export function isMcpError(error: unknown, code?: McpErrorCode): error is McpError {
  return error instanceof McpError && (code === undefined || error.code === code);
}

/** True if signing in may help. */
export function isSignInFailure(error: unknown): boolean {
  return isMcpError(error, 'signInNeeded') || isMcpError(error, 'signInFailed');
}

const transientStatuses: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);

/** True if a retry may succeed. */
export function isTransient(error: unknown): boolean {
  if (!isMcpError(error)) return false;
  if (error.code === 'unreachable' || error.code === 'connectionLost') return true;
  return transientStatuses.has(error.facts.httpStatus);
}

/**
 * Returns an `McpError` unchanged, and wraps any other value as `internal` with its text. Never
 * throws.
 */
export function toMcpError(error: unknown): McpError {
  if (isMcpError(error)) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new McpError('internal', { detail, cause: error });
}

/** Marks the error of a request that was not processed, so that it can be sent again. */
export function withoutEffect(error: McpError): McpError {
  return new McpError(error.code, { ...error.facts, hadNoEffect: true });
}

/** Makes a missing `case` a type error. */
export function assertNever(value: never): never {
  throw new McpError('internal', { detail: `unexpected value ${JSON.stringify(value)}` });
}
