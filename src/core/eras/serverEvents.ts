import { Emitter } from 'vscode-jsonrpc/node';
import { type ConnectionLog, writeServerLog } from '../log';
import { parseLogMessage } from '../parse/parseNotifications';

/** What the client tells of its server, whoever found it out. */
export class ServerEvents {
  readonly #onDidChangeTools = new Emitter<void>();
  readonly onDidChangeTools = this.#onDidChangeTools.event;
  readonly #onDidChangeResources = new Emitter<void>();
  readonly onDidChangeResources = this.#onDidChangeResources.event;
  readonly #onDidUpdateResource = new Emitter<string>();
  readonly onDidUpdateResource = this.#onDidUpdateResource.event;
  readonly #onDidChangeWatched = new Emitter<void>();
  readonly onDidChangeWatched = this.#onDidChangeWatched.event;
  readonly #log: ConnectionLog;

  constructor(log: ConnectionLog) {
    this.#log = log;
  }

  toolsChanged(): void {
    this.#onDidChangeTools.fire();
  }

  resourcesChanged(): void {
    this.#onDidChangeResources.fire();
  }

  resourceUpdated(uri: string): void {
    this.#onDidUpdateResource.fire(uri);
  }

  watchedChanged(): void {
    this.#onDidChangeWatched.fire();
  }

  /**
   * Params of `notifications/message`, for the log; what says nothing usable is dropped. From the
   * first message on: what a server says before it fails to start explains it.
   */
  logged(params: unknown): void {
    const message = parseLogMessage(params);
    if (message !== undefined) writeServerLog(this.#log, message);
  }
}
