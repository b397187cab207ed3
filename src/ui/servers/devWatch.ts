import * as vscode from 'vscode';
import type { ConnectionLog } from '../../core/log';
import { configHash } from '../../host/configuration/configurationHash';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ServerTrust } from '../../host/consent/serverTrust';
import { watchPattern } from '../watchFiles';

export interface DevWatchOptions {
  readonly registry: ServerRegistry;
  readonly trust: Pick<ServerTrust, 'stateOf'>;
  readonly logOf: (config: ServerConfig) => Pick<ConnectionLog, 'info'>;
}

/** Builds write many files; the last one counts. */
const quietMs = 300;

/**
 * Restarts servers that are being written when a file changes that their entry names
 * (`"dev": { "watch": … }`). Only what runs, or has failed, as the person has agreed to it: a file
 * that changes starts nothing by itself.
 */
export class DevWatch implements vscode.Disposable {
  readonly #options: DevWatchOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #subscription: { dispose(): void };
  #watchers: readonly vscode.Disposable[] = [];
  #watched = '';

  constructor(options: DevWatchOptions) {
    this.#options = options;
    this.#subscription = options.registry.onDidChange(({ kind }) => {
      if (kind === 'servers') this.#watch();
    });
    this.#watch();
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const watcher of this.#watchers) watcher.dispose();
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #watch(): void {
    const wishes = this.#options.registry.servers.flatMap(({ config }) =>
      (config.watch ?? []).flatMap((glob) => {
        const folder = folderOf(config);
        return folder === undefined ? [] : [{ id: config.id, folder, glob }];
      }),
    );
    const watched = JSON.stringify(wishes);
    if (watched === this.#watched) return;
    this.#watched = watched;
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = wishes.map(({ id, folder, glob }) => {
      const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), glob);
      return watchPattern(pattern, () => this.#changed(id));
    });
  }

  #changed(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.set(
      id,
      setTimeout(() => {
        this.#timers.delete(id);
        void this.#restart(id);
      }, quietMs),
    );
  }

  async #restart(id: string): Promise<void> {
    const { registry, trust, logOf } = this.#options;
    const before = registry.find(id)?.config;
    if (before === undefined || (await trust.stateOf(before)).kind !== 'trusted') return;
    // As it is now: it may have been stopped, or configured anew, while that was found out.
    const server = registry.find(id);
    if (server === undefined || server.state.kind === 'stopped') return;
    if (configHash(server.config) !== configHash(before)) return;
    logOf(server.config).info('a watched file changed: restarting');
    // Why it did not start stands on its row; nobody has asked for it just now.
    await registry.restart(id).catch(() => undefined);
  }
}

/** Where its globs begin: its own workspace folder, or the first one. */
function folderOf({ source }: ServerConfig): string | undefined {
  if ('folder' in source && typeof source.folder === 'string') return source.folder;
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}
