import { Emitter } from 'vscode-jsonrpc/node';
import { type ConnectionLog, writeServerLog } from '../log';
import { parseLogMessage } from '../parse/parseNotifications';

/** Events of a server for users of the client. */
export class ServerEvents {
  readonly #onDidChangeTools = new Emitter<void>();
  readonly onDidChangeTools = this.#onDidChangeTools.event;
  readonly #onDidChangePrompts = new Emitter<void>();
  readonly onDidChangePrompts = this.#onDidChangePrompts.event;
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

  promptsChanged(): void {
    this.#onDidChangePrompts.fire();
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
   * Logs the params of `notifications/message`; unusable ones are dropped. Starts with the first
   * message, because what a server logs before it fails to start explains the failure.
   */
  logged(params: unknown): void {
    const message = parseLogMessage(params);
    if (message !== undefined) writeServerLog(this.#log, message);
  }
}
