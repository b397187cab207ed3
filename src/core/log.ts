import { boundedJson } from './json/boundedJson';
import { isObject } from './json/shapes';

/** The eight levels of syslog, least severe first. */
export const logLevels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Receives what happens on one connection. The ui writes it to the server's log channel; message
 * bodies go only to `trace`.
 */
export interface ConnectionLog {
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /**
   * Receives log messages of the protocol at the server's own level. Unlike our errors, they may be
   * dropped in a flood. Defaults to `info` and `warn`.
   */
  fromServer?(level: 'debug' | 'info' | 'warning' | 'error', text: string): void;
  /** Receives a line of the process's stderr, which has no severity. */
  stderr(line: string): void;
  /** Receives a message as sent over the wire, bounded. Called only while {@link isTracing}. */
  trace(direction: 'sent' | 'received', json: string): void;
  isTracing(): boolean;
  /**
   * Receives every unmodified message for a recording, which must not change it. Absent if there is
   * no recording.
   */
  exchanged?(direction: 'sent' | 'received', message: unknown): void;
}

/** A log notification of the server. Its text is untrusted. */
export interface ServerLogMessage {
  readonly level: string;
  readonly logger?: string;
  readonly text: string;
}

const maxTextChars = 64 * 1024;
const maxLoggerChars = 200;
const knownLevels: ReadonlySet<string> = new Set(logLevels);

/**
 * Parses the params of `notifications/message`, with its data as text of at most 65,536 characters.
 * An unknown level becomes `info`. Returns `undefined` if they are not an object.
 */
export function parseLogMessage(params: unknown): ServerLogMessage | undefined {
  if (!isObject(params)) return undefined;
  const { level, data } = params;
  const text =
    typeof data === 'string' ? data.slice(0, maxTextChars) : boundedJson(data, maxTextChars);
  const known = typeof level === 'string' && knownLevels.has(level) ? level : 'info';
  // Not spread, because servers send thousands of these.
  if (typeof params.logger !== 'string') return { level: known, text };
  return { level: known, text, logger: params.logger.slice(0, maxLoggerChars) };
}

const errors: ReadonlySet<string> = new Set(['error', 'critical', 'alert', 'emergency']);

/**
 * Writes log notifications of the server to the log of its connection, with their level and logger
 * name. Never uses `error`, which is exempt from flood limits, because servers send floods.
 */
export function writeServerLog(log: ConnectionLog, message: ServerLogMessage): void {
  const { level, logger, text } = message;
  const line = logger === undefined ? `[${level}] ${text}` : `[${level}] ${logger}: ${text}`;
  if (log.fromServer !== undefined) log.fromServer(shownLevel(level), line);
  // Makes problems easy to find in the log.
  else if (level === 'warning' || errors.has(level)) log.warn(line);
  else log.info(line);
}

/** Maps the eight levels of syslog to the four of an editor. */
function shownLevel(level: string): 'debug' | 'info' | 'warning' | 'error' {
  if (errors.has(level)) return 'error';
  return level === 'debug' || level === 'warning' ? level : 'info';
}
