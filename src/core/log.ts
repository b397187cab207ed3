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
