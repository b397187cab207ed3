import type { ConnectionLog } from './log';

/** A log notification of the server; its text is untrusted. */
export interface ServerLogMessage {
  readonly level: string;
  readonly logger?: string;
  readonly text: string;
}

const errors: ReadonlySet<string> = new Set(['error', 'critical', 'alert', 'emergency']);

/**
 * Writes what a server logs by the protocol to the log of its connection, with its severity and
 * name. Never as an error: errors are told even in a flood, and servers make floods.
 */
export function writeServerLog(log: ConnectionLog, message: ServerLogMessage): void {
  const { level, logger, text } = message;
  const line = logger === undefined ? `[${level}] ${text}` : `[${level}] ${logger}: ${text}`;
  if (log.fromServer !== undefined) log.fromServer(shownLevel(level), line);
  // A person who looks for what went wrong should not have to search.
  else if (level === 'warning' || errors.has(level)) log.warn(line);
  else log.info(line);
}

/** The eight levels of syslog as the four of an editor. */
function shownLevel(level: string): 'debug' | 'info' | 'warning' | 'error' {
  if (errors.has(level)) return 'error';
  return level === 'debug' || level === 'warning' ? level : 'info';
}
