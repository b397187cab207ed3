import type { ConnectionLog } from './log';

/** A log notification of the server. Its text is untrusted. */
export interface ServerLogMessage {
  readonly level: string;
  readonly logger?: string;
  readonly text: string;
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
