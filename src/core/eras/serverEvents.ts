import { Emitter } from 'vscode-jsonrpc/node';
import type { ServerLogMessage } from '../client';
import { parseLogMessage } from '../parse/parseNotifications';

/** What the client tells of its server, whoever found it out. */
export class ServerEvents {
  readonly #onDidChangeTools = new Emitter<void>();
  readonly onDidChangeTools = this.#onDidChangeTools.event;
  readonly #onDidLog = new Emitter<ServerLogMessage>();
  readonly onDidLog = this.#onDidLog.event;

  toolsChanged(): void {
    this.#onDidChangeTools.fire();
  }

  /** Params of `notifications/message`; what says nothing usable is dropped. */
  logged(params: unknown): void {
    const message = parseLogMessage(params);
    if (message !== undefined) this.#onDidLog.fire(message);
  }
}
