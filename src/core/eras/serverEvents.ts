import { Emitter } from 'vscode-jsonrpc/node';
import type { ServerLogMessage } from '../client';
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
  readonly #onDidLog = new Emitter<ServerLogMessage>();
  readonly onDidLog = this.#onDidLog.event;

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

  /** Params of `notifications/message`; what says nothing usable is dropped. */
  logged(params: unknown): void {
    const message = parseLogMessage(params);
    if (message !== undefined) this.#onDidLog.fire(message);
  }
}
