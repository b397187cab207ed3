import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ConnectionLog } from '../../core/log';
import { visibleText } from '../../core/visibleText';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { SecretValues } from '../../host/secrets/secretValues';
type Channel = Pick<
  vscode.LogOutputChannel,
  'trace' | 'debug' | 'info' | 'warn' | 'error' | 'logLevel' | 'show' | 'dispose'
>;

/** Removes secrets from everything that is written. */
type Secrets = Pick<SecretValues, 'redact'>;

/** Longer lines are cut, because the log is for readers. */
const maxLineLength = 4_000;

/** A log line of a server: shortened, with visible characters and without secrets. */
interface LoggedLine {
  readonly serverId: string;
  readonly line: string;
}

/** One log channel per server, created when it is needed, and one for the extension. */
export class ServerLogs implements vscode.Disposable {
  readonly #secrets: Secrets;
  readonly #makeChannel: (name: string) => Channel;
  readonly #logs = new Map<string, ServerLog>();
  /** Labels by server id. */
  readonly #labels = new Map<string, string>();

  readonly #onDidLog = new vscode.EventEmitter<LoggedLine>();
  /** Fires for each logged line as it is in the channel, except for trace messages. */
  readonly onDidLog = this.#onDidLog.event;
  /** Log of everything that belongs to no server. */
  readonly extension: ServerLog;

  constructor(
    secrets: Secrets,
    makeChannel: (name: string) => Channel = (name) =>
      vscode.window.createOutputChannel(name, { log: true }),
  ) {
    this.#secrets = secrets;
    this.#makeChannel = makeChannel;
    this.extension = new ServerLog(makeChannel(l10n.t('Toolgate')), secrets);
  }

  /** Returns the log of a server. It survives restarts, so that their cause can be read. */
  of({ id, label }: Pick<ServerConfig, 'id' | 'label'>): ServerLog {
    const existing = this.#logs.get(id);
    if (existing) return existing;
    const name = l10n.t('Toolgate: {0}', visibleText(label, maxNameLength));
    const log = new ServerLog(this.#makeChannel(name), this.#secrets, (line) =>
      this.#onDidLog.fire({ serverId: id, line }),
    );
    this.#logs.set(id, log);
    return log;
  }

  /** Returns the log of a server by its id. */
  ofId(id: string): ServerLog {
    return this.of({ id, label: this.#labels.get(id) ?? id });
  }

  /** Sets the labels of servers. */
  setServers(servers: readonly Pick<ServerConfig, 'id' | 'label'>[]): void {
    for (const { id, label } of servers) this.#labels.set(id, label);
  }

  /** Returns the end of a server's log, or no lines if nothing was logged. */
  lastLines({ id }: Pick<ServerConfig, 'id'>): readonly string[] {
    return this.#logs.get(id)?.lastLines ?? [];
  }

  /** Removes the channels of all other servers. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const [id, log] of this.#logs) {
      if (ids.has(id)) continue;
      log.dispose();
      this.#logs.delete(id);
    }
    for (const id of this.#labels.keys()) if (!ids.has(id)) this.#labels.delete(id);
  }

  dispose(): void {
    this.keepOnly(new Set());
    this.extension.dispose();
    this.#onDidLog.dispose();
  }
}

const maxNameLength = 60;
const maxLastLines = 30;

/** Foreign text is cut, made visible and rate-limited, so that no server can flood the editor. */
class ServerLog implements ConnectionLog, vscode.Disposable {
  readonly #channel: Channel;
  readonly #secrets: Secrets;
  readonly #limit: LineLimit;
  readonly #told: (line: string) => void;
  #recorded: ConnectionLog['exchanged'] | undefined;
  /** The last lines without trace messages, which contain the content of calls. */
  #last: string[] = [];
  #isDisposed = false;

  /** Calls `told` for each line. By default it does nothing. */
  constructor(channel: Channel, secrets: Secrets, told: (line: string) => void = () => {}) {
    this.#channel = channel;
    this.#secrets = secrets;
    this.#told = told;
    this.#limit = new LineLimit((skipped) => {
      if (!this.#isDisposed) channel.warn(l10n.t('Lines left out: {0}.', skipped));
    });
  }

  info(text: string): void {
    this.#write((line) => this.#channel.info(line), text, 'info');
  }

  warn(text: string): void {
    this.#write((line) => this.#channel.warn(line), text, 'warning');
  }

  error(text: string): void {
    // These messages pass the rate limit: there is one per error, and users look for them.
    if (this.#isDisposed) return;
    this.#channel.error(this.#shown(text));
    this.#keep(`[error] ${this.#shown(text)}`);
  }

  fromServer(level: 'debug' | 'info' | 'warning' | 'error', text: string): void {
    const method = level === 'warning' ? 'warn' : level;
    this.#write((line) => this.#channel[method](line), text, level);
  }

  stderr(line: string): void {
    this.#write((text) => this.#channel.info(`[stderr] ${text}`), line, 'stderr');
  }

  trace(direction: 'sent' | 'received', json: string): void {
    if (!this.isTracing()) return;
    this.#write(
      (text) => this.#channel.trace(`${direction === 'sent' ? '-->' : '<--'} ${text}`),
      json,
    );
  }

  exchanged(direction: 'sent' | 'received', message: unknown): void {
    this.#recorded?.(direction, message);
  }

  /** Passes all messages unchanged to this recorder only, or to none if it is `undefined`. */
  recordTo(recorded: ConnectionLog['exchanged'] | undefined): void {
    this.#recorded = recorded;
  }

  isTracing(): boolean {
    return !this.#isDisposed && this.#channel.logLevel === vscode.LogLevel.Trace;
  }

  /** The last lines without trace messages, for a report. */
  get lastLines(): readonly string[] {
    return this.#last.slice(-maxLastLines);
  }

  show(): void {
    if (!this.#isDisposed) this.#channel.show(true);
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#limit.dispose();
    this.#channel.dispose();
  }

  // A connection that is being stopped may still write after its channel was removed with its
  // server.
  #write(write: (line: string) => void, text: string, kind?: string): void {
    if (this.#isDisposed || !this.#limit.take()) return;
    const line = this.#shown(text);
    write(line);
    if (kind !== undefined) this.#keep(`[${kind}] ${line}`);
  }

  #keep(line: string): void {
    this.#told(line);
    this.#last.push(line);
    if (this.#last.length > 2 * maxLastLines) this.#last = this.#last.slice(-maxLastLines);
  }

  // Secrets are removed before the text is cut, because a cut secret would not be found.
  #shown(text: string): string {
    return visibleText(this.#secrets.redact(text), maxLineLength);
  }
}

/** Bursts of this size pass. More lines per second are not readable. */
const linesPerWindow = 500;
const windowMs = 1_000;

/**
 * Lets at most {@link linesPerWindow} lines through per second. It counts the others and reports
 * their number at the end of the second.
 */
class LineLimit {
  readonly #notifySkipped: (count: number) => void;
  #taken = 0;
  #skipped = 0;
  #windowEnd: NodeJS.Timeout | undefined;

  constructor(notifySkipped: (count: number) => void) {
    this.#notifySkipped = notifySkipped;
  }

  /** Returns true if the line may be written. */
  take(): boolean {
    this.#windowEnd ??= setTimeout(() => this.#endWindow(), windowMs).unref();
    if (this.#taken < linesPerWindow) {
      this.#taken++;
      return true;
    }
    this.#skipped++;
    return false;
  }

  dispose(): void {
    clearTimeout(this.#windowEnd);
  }

  #endWindow(): void {
    const skipped = this.#skipped;
    this.#taken = 0;
    this.#skipped = 0;
    this.#windowEnd = undefined;
    if (skipped > 0) this.#notifySkipped(skipped);
  }
}
