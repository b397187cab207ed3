import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ConnectionLog } from '../../core/log';
import { visibleText } from '../../core/visibleText';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { SecretValues } from '../../host/secrets/secretValues';
import { LineLimit } from './lineLimit';

type Channel = Pick<
  vscode.LogOutputChannel,
  'trace' | 'debug' | 'info' | 'warn' | 'error' | 'logLevel' | 'show' | 'dispose'
>;

/** Takes the secrets out of whatever is written. */
type Secrets = Pick<SecretValues, 'redact'>;

/** Longer lines are cut: a log line is read by a person. */
const maxLineLength = 4_000;

/** A line of the log of a server: bounded, visible, without secrets. */
export interface LoggedLine {
  readonly serverId: string;
  readonly line: string;
}

/** One log channel per server, made when it is first needed, and one for the extension itself. */
export class ServerLogs implements vscode.Disposable {
  readonly #secrets: Secrets;
  readonly #makeChannel: (name: string) => Channel;
  readonly #logs = new Map<string, ServerLog>();
  /** By the ids of servers. */
  readonly #labels = new Map<string, string>();

  readonly #onDidLog = new vscode.EventEmitter<LoggedLine>();
  /** A line was logged, as it stands in the channel; lines of the trace are not told. */
  readonly onDidLog = this.#onDidLog.event;
  /** What belongs to no server. */
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

  /** The log of a server. It survives restarts of the server, so that the cause of one can be read. */
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

  /** The same of a server of which only the id is at hand. */
  ofId(id: string): ServerLog {
    return this.of({ id, label: this.#labels.get(id) ?? id });
  }

  /** How the logs of these servers are called. */
  setServers(servers: readonly Pick<ServerConfig, 'id' | 'label'>[]): void {
    for (const { id, label } of servers) this.#labels.set(id, label);
  }

  /** The end of the log of a server; none where nothing was logged. */
  lastLines({ id }: Pick<ServerConfig, 'id'>): readonly string[] {
    return this.#logs.get(id)?.lastLines ?? [];
  }

  /** Takes away the channels of all other servers. */
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

/** Text from outside is cut, made visible and slowed down, so that no server can flood the editor. */
export class ServerLog implements ConnectionLog, vscode.Disposable {
  readonly #channel: Channel;
  readonly #secrets: Secrets;
  readonly #limit: LineLimit;
  readonly #told: (line: string) => void;
  #recorded: ConnectionLog['exchanged'] | undefined;
  /** What was written last, but for the trace: it holds what calls were about. */
  #last: string[] = [];
  #isDisposed = false;

  /** `told`: who else hears of each line. Default: nobody. */
  constructor(channel: Channel, secrets: Secrets, told: (line: string) => void = () => {}) {
    this.#channel = channel;
    this.#secrets = secrets;
    this.#told = told;
    this.#limit = new LineLimit((skipped) => {
      if (!this.#isDisposed) channel.warn(l10n.t('{0} more lines were left out.', skipped));
    });
  }

  info(text: string): void {
    this.#write((line) => this.#channel.info(line), text, 'info');
  }

  warn(text: string): void {
    this.#write((line) => this.#channel.warn(line), text, 'warning');
  }

  error(text: string): void {
    // Told even in a flood: there is one per thing that went wrong, and it is what people look for.
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

  /** Has every message told as it is, and only to this one; `undefined`: to nobody. */
  recordTo(recorded: ConnectionLog['exchanged'] | undefined): void {
    this.#recorded = recorded;
  }

  isTracing(): boolean {
    return !this.#isDisposed && this.#channel.logLevel === vscode.LogLevel.Trace;
  }

  /** The last lines, without those of the trace; for a report. */
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

  // A connection that is being stopped still writes after its channel went away with its server.
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

  // Before it is cut, or half a secret would be left.
  #shown(text: string): string {
    return visibleText(this.#secrets.redact(text), maxLineLength);
  }
}
