/**
 * Where core and host tell what happens on one connection. The ui writes it to the server's log
 * channel; message bodies go to `trace` only.
 */
export interface ConnectionLog {
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /**
   * What the server logs by the protocol, at its own level and, unlike our errors, not told in a
   * flood. Absent: it goes to `info` and `warn`.
   */
  fromServer?(level: 'debug' | 'info' | 'warning' | 'error', text: string): void;
  /** A line that the process wrote to stderr: no severity of its own. */
  stderr(line: string): void;
  /** One message as it went over the wire, bounded. Called only while {@link isTracing}. */
  trace(direction: 'sent' | 'received', json: string): void;
  isTracing(): boolean;
  /** Every message as it is, for a recording; not to be changed. Absent: nobody records. */
  exchanged?(direction: 'sent' | 'received', message: unknown): void;
}
