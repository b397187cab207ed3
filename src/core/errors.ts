/**
 * Why something about a server did not work. The list is closed: `ui/format/sentences.ts` has one
 * sentence for each, and without it nothing compiles.
 */
export type McpErrorCode =
  // starting
  | 'programNotFound'
  /** There is a file, and the system may not run it. */
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
  /** It sent too much that is no message, too many requests, or a batch that is too long. */
  | 'serverFlood'
  | 'writeFailed'
  | HttpErrorCode
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
  /** The server ended a task without a result, as something else wanted. */
  | 'taskCancelled'
  /** The server does not know a task any more that it had created. */
  | 'taskLost'
  /** The connection ended, and the task of the call goes on at the server; it is taken up again. */
  | 'taskLeft'
  /** Something has to be done in the browser before the call is made again. */
  | 'browserStepRequired'
  // the host
  | 'notRunning'
  | 'untrustedWorkspace'
  /** The person has switched the server off. */
  | 'serverDisabled'
  /** The person has switched the tool off. */
  | 'toolDisabled'
  /** The person did not agree to how the server is started; nothing ran. */
  | 'notApproved'
  | 'unknownServer'
  | 'unknownTool'
  | 'unusableTool'
  | 'toolChanged'
  | 'invalidArguments'
  /** Calls must be recorded before they are made, and this one could not be. */
  | 'journalUnavailable'
  /** Agents have asked the person too often; nobody was asked, nothing was sent. */
  | 'agentPaused'
  /** The server was taken back from agents, or they were turned off, before the call was sent. */
  | 'notExposed'
  | 'internal';

/** What goes wrong only with a server that is reached over HTTP. */
export type HttpErrorCode =
  /** Nothing was sent: no such host, nobody listens, or no HTTP is spoken there. */
  | 'unreachable'
  | 'tlsError'
  /** The connection broke after the request was sent: it may have had an effect. */
  | 'connectionLost'
  | 'unauthorized'
  /** The server wants a sign-in, and nobody may be asked for it now: nothing broke. */
  | 'signInNeeded'
  /** A step of the sign-in did not work; the request was not taken. */
  | 'signInFailed'
  /** The server still wants more rights after it was asked to be given them. */
  | 'scopeRefused'
  | 'httpError'
  | 'redirectRefused'
  | 'unexpectedContentType'
  | 'answerTooLarge'
  /** The server forgot the session; the refused request had no effect. */
  | 'sessionLost';

/** Where a time limit of a call was set. */
export type TimeLimitSource =
  | { readonly kind: 'default' | 'ceiling' | 'call' }
  /** For one server or one tool, under this key of the setting. */
  | { readonly kind: 'own'; readonly key: string };

/** Where a sign-in stopped. */
export type SignInStep =
  /** What the server says of itself: which authorization servers it takes tokens of. */
  | 'resourceMetadata'
  /** What the authorization server says of itself. */
  | 'serverMetadata'
  /** What identifies the product to the authorization server. */
  | 'client'
  /** The address that the browser would be sent to. */
  | 'authorization'
  /** What the browser came back with. */
  | 'answer'
  | 'token'
  /** The server does not take the token that it was just given. */
  | 'use';

/** Of what a server sent too much (code `serverFlood`). */
export type MessageFlood = 'garbage' | 'requests' | 'batch';

/** How a server separates messages instead of writing one per line. */
export type MessageFraming = 'contentLength' | 'noNewline' | 'severalLines';

export type MessageMeasure = 'values' | 'levels' | 'lines';

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
  /** The last thing on stdout that was no message: a question, often (codes of starting). */
  readonly stdoutTail?: string;
  /** How it wrote what may have been the answer (codes `timeout` and `handshakeTimeout`). */
  readonly misframed?: MessageFraming;
  /** A package manager was at work until the end (code `handshakeTimeout`). */
  readonly wasInstalling?: true;
  /** Every folder that was searched, in that order (code `programNotFound`). */
  readonly searched?: readonly string[];
  readonly limit?: number;
  readonly flood?: MessageFlood;
  /** What `limit` counts, of a message; absent: bytes. `lines`: bytes of an event of several lines. */
  readonly measure?: MessageMeasure;
  /** Status of the HTTP answer that carried the error, whatever the code. */
  readonly httpStatus?: number;
  /** The `WWW-Authenticate` header of that answer: untrusted, at most 8,192 characters. */
  readonly wwwAuthenticate?: string;
  /** The server answered 401 and names no place to sign in, nor is there one (code `unauthorized`). */
  readonly offersNoSignIn?: true;
  /** Nothing in the request could identify the user: no header, user name or query (HTTP status 401). */
  readonly wasAnonymous?: true;
  /** Where the sign-in stopped (code `signInFailed`); `detail` is the words of whoever stopped it. */
  readonly signInStep?: SignInStep;
  /** The authorization server in question (codes of a sign-in): untrusted, at most 2,000 characters. */
  readonly issuer?: string;
  /** What the server wants (code `scopeRefused`): untrusted, at most 100. */
  readonly scopes?: readonly string[];
  /** What the server asks to wait before another try. */
  readonly retryAfterMs?: number;
  /** The request was refused or never sent: it can be sent again without doing anything twice. */
  readonly hadNoEffect?: true;
  /** Which time limit was in force (code `timeout`); `limit` is its milliseconds. */
  readonly timeLimit?: TimeLimitSource;
  /** The call was sent, has no answer, and may have had an effect. */
  readonly outcomeUnknown?: true;
  /**
   * What came for `server/discover`, which was asked before the handshake that failed: status of
   * the HTTP answer, and what it said or what became of the question; untrusted.
   */
  readonly probeStatus?: number;
  readonly probeDetail?: string;
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

/** Whether somebody who signs in may help. */
export function isSignInFailure(error: unknown): boolean {
  return isMcpError(error, 'signInNeeded') || isMcpError(error, 'signInFailed');
}

const transientStatuses: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);

/** Whether another try may find what this one did not. */
export function isTransient(error: unknown): boolean {
  if (!isMcpError(error)) return false;
  if (error.code === 'unreachable' || error.code === 'connectionLost') return true;
  return transientStatuses.has(error.facts.httpStatus);
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
