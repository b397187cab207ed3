import type {
  McpError,
  McpErrorCode,
  McpErrorFacts,
  MessageFraming,
  TimeLimitSource,
} from '../core/errors';
import { relevantStderrLine } from '../core/stdio/relevantStderrLine';
import { visibleText } from '../core/visibleText';

const maxQuotedChars = 300;

/** Formats untrusted text as one line. */
export function inLine(text: string | undefined): string {
  return visibleText(text ?? '', maxQuotedChars).trim();
}

/** Describes an error in one line. Untrusted texts are redacted, then shortened and quoted. */
export function errorMessage(
  { code, facts }: McpError,
  redact: (text: string) => string,
  startTimeoutMs?: number,
): string {
  const tail = facts.stderrTail;
  const said = tail === undefined ? '' : inLine(redact(relevantStderrLine(redact(tail))));
  const exit = facts.exitCode === undefined ? '' : ` (exit code ${facts.exitCode})`;
  // Callers quote the name of the tool before.
  const detail = namesTool.includes(code) ? '' : inLine(redact(facts.detail ?? ''));
  const status = facts.httpStatus === undefined ? '' : ` (HTTP ${facts.httpStatus})`;
  const rpcCode =
    code === 'serverError' && facts.rpcCode !== undefined ? ` (code ${facts.rpcCode})` : '';
  const unknown = facts.outcomeUnknown === true ? ' The call may have had an effect.' : '';
  return [
    `${noCredentials(code, facts) ?? messagesOfCodes[code]}${limitMessage(code, facts, startTimeoutMs)}${exit}${status}${rpcCode}.`,
    ...(facts.misframed === undefined ? [] : [messagesOfFramings[facts.misframed]]),
    ...(said === '' ? [] : [`It said on stderr: ${said}`]),
    ...(detail === '' || said !== '' ? [] : [`Details: ${detail}`]),
    ...probeMessages(facts, redact),
  ]
    .join(' ')
    .concat(unknown);
}

/** Tells that the probe before the handshake failed, too. */
function probeMessages(
  { probeStatus, probeDetail }: McpErrorFacts,
  redact: (text: string) => string,
): readonly string[] {
  if (probeDetail === undefined) return [];
  const status = probeStatus === undefined ? '' : `HTTP ${probeStatus}, `;
  return [
    `This was "initialize"; before, "server/discover" got: ${status}${inLine(redact(probeDetail))}`,
  ];
}

/** Names the time limit and where it is set. */
function limitMessage(
  code: McpErrorCode,
  { limit, timeLimit }: McpErrorFacts,
  startTimeoutMs: number | undefined,
): string {
  if (code === 'handshakeTimeout' && startTimeoutMs !== undefined) {
    return ` (${startTimeoutMs} ms, the limit of --start-timeout)`;
  }
  if (code !== 'timeout' || limit === undefined) return '';
  return ` (${limit} ms${timeLimit === undefined ? '' : limitSources[timeLimit.kind]})`;
}

const namesTool: readonly McpErrorCode[] = ['unknownTool', 'unusableTool'];
const limitSources: Readonly<Record<TimeLimitSource['kind'], string>> = {
  default: ', the limit of --timeout',
  call: ', the "timeout" of the call',
  ceiling: ', the limit of one call with all of its progress',
  own: '',
};

/** Describes an unexpected error in one sentence. */
export function unexpectedErrorMessage(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return `Something went wrong in this program: ${inLine(said)}`;
}

function noCredentials(code: McpErrorCode, { wasAnonymous }: McpErrorFacts): string | undefined {
  if (code !== 'unauthorized' || wasAnonymous !== true) return undefined;
  return 'it wants credentials, and none were sent; its entry has no "headers"';
}

const perLine = 'MCP over stdio has one message per line';
const messagesOfFramings: Readonly<Record<MessageFraming, string>> = {
  contentLength: `${perLine}, without Content-Length headers.`,
  noNewline: `${perLine}; it wrote one without a newline.`,
  severalLines: `${perLine}; it wrote one over several lines.`,
};

const messagesOfCodes: Readonly<Record<McpErrorCode, string>> = {
  agentPaused: 'it was called too often by an agent',
  notExposed: 'it was taken back from agents',
  programNotFound: 'its program was not found',
  programNotExecutable: 'its program may not be run',
  spawnFailed: 'its program could not be started',
  exitedEarly: 'its program ended before it answered',
  handshakeTimeout: 'it did not answer in time',
  handshakeFailed: 'it answered the first message with an error, or with something that is not MCP',
  unsupportedRevision: 'it speaks a revision of the protocol that this program does not',
  missingVariable: 'a variable of its configuration has no value',
  invalidConfiguration: 'its configuration is not valid',
  connectionClosed: 'the connection ended',
  messageTooLarge: 'a message was too large',
  serverFlood: 'it sent too much that is no message, too many requests, or too long a batch',
  writeFailed: 'it took no more messages',
  unreachable: 'it cannot be reached',
  tlsError: 'no secure connection came about',
  connectionLost: 'the connection broke',
  unauthorized: 'it refused the credentials',
  signInNeeded: 'it wants a sign-in; run "toolgate login" for this server, or give it a header',
  signInFailed: 'the sign-in failed',
  scopeRefused: 'it wants more rights',
  httpError: 'it answered with an HTTP error',
  redirectRefused: 'it sends to another address',
  unexpectedContentType: 'its answer has a type that MCP does not know',
  answerTooLarge: 'its answer was too large',
  sessionLost: 'it forgot the session',
  timeout: 'no answer came in time',
  cancelled: 'cancelled',
  serverError: 'it answered with an error',
  invalidResult: 'its answer is not what the protocol wants',
  unsupportedFeature: 'it does not have this feature',
  capabilityRequired: 'it insists on something that this program does not have',
  inputNotPossible: 'it asked for input, and nobody is there to give any',
  tooManyRounds: 'it asked again and again',
  taskCancelled: 'it cancelled the task',
  taskLeft: 'the task of the call goes on without this program',
  taskLost: 'it does not know the task any more',
  browserStepRequired: 'something has to be done in a browser first',
  notRunning: 'it is not running',
  untrustedWorkspace: 'the folder is not trusted',
  serverDisabled: 'it is switched off',
  toolDisabled: 'the tool is switched off',
  notApproved: 'nobody agreed to its start',
  unknownServer: 'there is no such server',
  unknownTool: 'it has no such tool',
  unusableTool: 'the definition of this tool cannot be used',
  toolChanged: 'the tool changed meanwhile',
  invalidArguments: 'the arguments do not fit the schema of the tool',
  journalUnavailable: 'the call could not be recorded, so it was not made',
  internal: 'something went wrong in this program',
};
