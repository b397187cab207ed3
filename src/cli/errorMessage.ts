import {
  formatErrorData,
  type McpError,
  type McpErrorCode,
  type McpErrorFacts,
  type MessageFraming,
  type TimeLimitSource,
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
  const printed = inLine(redact(facts.stdoutTail ?? facts.printed ?? ''));
  const data = inLine(redact(formatErrorData({ code, facts })));
  // Callers quote the name of the tool before.
  const detail = namesTool.includes(code) ? '' : inLine(redact(facts.detail ?? ''));
  const status = facts.httpStatus === undefined ? '' : ` (HTTP ${facts.httpStatus})`;
  const rpcCode =
    code === 'serverError' && facts.rpcCode !== undefined ? ` (code ${facts.rpcCode})` : '';
  return [
    `${noCredentials(code, facts) ?? messagesOfCodes[code]}${limitMessage(code, facts, startTimeoutMs)}${exit}${status}${rpcCode}.`,
    ...(facts.outcomeUnknown === true ? ['The call may have had an effect.'] : []),
    ...(facts.misframed === undefined ? [] : [messagesOfFramings[facts.misframed]]),
    ...(printed === '' ? [] : [`It printed to stdout, which is not MCP: ${printed}`]),
    ...(said === '' ? [] : [`It said on stderr: ${said}`]),
    ...(detail === '' || said !== '' ? [] : [`Details: ${detail}`]),
    ...(data === '' ? [] : [`Data: ${data}`]),
    ...(facts.issuer === undefined
      ? []
      : [`Authorization server: ${inLine(redact(facts.issuer))}`]),
    ...(printed === '' ? probeMessages(facts, redact) : []),
  ].join(' ');
}

/** Tells that the probe before the handshake failed, too. */
function probeMessages(
  { probeStatus, probeDetail }: McpErrorFacts,
  redact: (text: string) => string,
): readonly string[] {
  if (probeDetail === undefined) return [];
  const status = probeStatus === undefined ? '' : `HTTP ${probeStatus}, `;
  return [`It first answered "server/discover" with: ${status}${inLine(redact(probeDetail))}`];
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
  ceiling: ', the limit of a call with progress',
  own: '',
};

/** Describes an unexpected error in one sentence. */
export function unexpectedErrorMessage(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return `This program failed: ${inLine(said)}`;
}

function noCredentials(code: McpErrorCode, { wasAnonymous }: McpErrorFacts): string | undefined {
  if (code !== 'unauthorized' || wasAnonymous !== true) return undefined;
  return 'it requires credentials, but none were sent because its entry has no "headers"';
}

const perLine = 'MCP over stdio has one message per line';
const messagesOfFramings: Readonly<Record<MessageFraming, string>> = {
  contentLength: `${perLine}, without Content-Length headers.`,
  noNewline: `${perLine}; it wrote one without a newline.`,
  severalLines: `${perLine}; it wrote one over several lines.`,
};

const messagesOfCodes: Readonly<Record<McpErrorCode, string>> = {
  agentPaused: 'it was called too often by an agent',
  notExposed: 'it is no longer exposed to agents',
  programNotFound: 'its program was not found',
  programNotExecutable: 'its program is not executable',
  spawnFailed: 'its program could not be started',
  exitedEarly: 'its program exited before it answered',
  handshakeTimeout: 'it did not answer in time',
  handshakeFailed: 'it answered the first message with an error, or with something that is not MCP',
  unsupportedRevision: 'its protocol revision is not supported',
  missingVariable: 'a variable of its configuration has no value',
  invalidConfiguration: 'its configuration is not valid',
  connectionClosed: 'the connection ended',
  messageTooLarge: 'a message was too large',
  serverFlood:
    'it sent too many lines that are not messages, too many requests, or too large a batch',
  writeFailed: 'it accepted no more messages',
  unreachable: 'it cannot be reached',
  tlsError: 'no secure connection could be made',
  connectionLost: 'the connection was lost',
  unauthorized: 'it refused the credentials',
  signInNeeded: 'it requires a sign-in; run "toolgate login" for this server, or pass a header',
  signInFailed: 'the sign-in failed',
  scopeRefused: 'it requires more scopes',
  httpError: 'it answered with an HTTP error',
  redirectRefused: 'it redirects to another URL',
  unexpectedContentType: 'its answer is not of a content type of MCP',
  answerTooLarge: 'its answer was too large',
  sessionLost: 'it lost the session',
  timeout: 'no answer came in time',
  cancelled: 'cancelled',
  serverError: 'it answered with an error',
  invalidResult: 'its answer is not valid MCP',
  unsupportedFeature: 'it does not support this',
  capabilityRequired: 'it requires a client capability that this program does not have',
  inputNotPossible: 'it asked for input, which is not available',
  tooManyRounds: 'it kept asking for input',
  taskCancelled: 'it cancelled the task',
  taskLeft: 'the task of the call continues without this program',
  taskLost: 'it no longer has the task',
  browserStepRequired: 'it requires a step in the browser first',
  notRunning: 'it is not running',
  untrustedWorkspace: 'the folder is not trusted',
  serverDisabled: 'it is disabled',
  toolDisabled: 'the tool is disabled',
  notApproved: 'its start was not approved',
  unknownServer: 'the server does not exist',
  unknownTool: 'it has no such tool',
  unusableTool: 'the definition of this tool cannot be used',
  toolChanged: 'the tool has changed',
  invalidArguments: 'the arguments do not match the schema of the tool',
  journalUnavailable: 'the call could not be recorded, so it was not made',
  internal: 'this program failed',
};
