import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isWithin } from '../../core/bounds/pathWithin';
import type { ConnectionLog } from '../../core/log';
import { configHash } from '../../host/configuration/configurationHash';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import type { ServerTrust } from '../../host/consent/trust/serverTrust';
import { WatchRestarts, type WatchRestartLimits } from '../../host/processes/watchRestarts';
import { commands } from '../../ids';
import { notify } from '../editor/messages';
import { watchPattern } from '../editor/watchFiles';
import { quoted } from '../format/sentences';

interface DevWatchOptions {
  readonly registry: ServerRegistry;
  readonly trust: Pick<ServerTrust, 'stateOf'>;
  readonly logOf: (config: ServerConfig) => Pick<ConnectionLog, 'info'>;
  /** Is called when a server was restarted because a file changed. */
  readonly onRestarted?: (id: string) => void;
  /** Defaults to the limits of WatchRestart. */
  readonly limits?: WatchRestartLimits;
}

/**
 * Restarts servers under development when a file changes that their entry names (`"dev": { "watch":
 * … }`). It restarts only servers that are running or have failed and whose configuration the user
 * trusts. A changed file never starts a stopped server, and a server that writes a watched file is
 * not restarted forever.
 */
export class DevWatch implements vscode.Disposable {
  readonly #options: DevWatchOptions;
  readonly #restarts: WatchRestarts;
  readonly #subscription: vscode.Disposable;
  #watched: readonly WatchedFolder[] = [];
  #watchers: readonly vscode.Disposable[] = [];
  #snapshot = '';

  constructor(options: DevWatchOptions) {
    this.#options = options;
    this.#restarts = new WatchRestarts({
      ...options.limits,
      restart: (id) => this.#restart(id),
      onGivenUp: (id, restarts) => this.#giveUp(id, restarts),
    });
    const { registry } = options;
    this.#subscription = vscode.Disposable.from(
      registry.onDidChange((change) => {
        if (change.kind === 'servers') this.#watch();
        else if (change.kind === 'state' && isByHand(registry.find(change.id))) {
          this.#restarts.forget(change.id);
        }
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        for (const { id, folder } of this.#watched) {
          const isInside = uri.scheme === 'file' && isWithin(folder, uri.fsPath);
          if (isInside) this.#restarts.saved(id);
        }
      }),
    );
    this.#watch();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#restarts.dispose();
    for (const watcher of this.#watchers) watcher.dispose();
  }

  #watch(): void {
    const watched = this.#options.registry.servers.flatMap(({ config }) =>
      (config.watch ?? []).flatMap((glob) => {
        const folder = watchFolderOf(config);
        return folder === undefined ? [] : [{ id: config.id, folder, glob }];
      }),
    );
    const snapshot = JSON.stringify(watched);
    if (snapshot === this.#snapshot) return;
    this.#snapshot = snapshot;
    this.#watched = watched;
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = watched.map(({ id, folder, glob }) => {
      const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), glob);
      return watchPattern(pattern, () => this.#restarts.changed(id));
    });
  }

  async #restart(id: string): Promise<boolean> {
    const { registry, trust, logOf } = this.#options;
    const before = registry.find(id)?.config;
    if (before === undefined || (await trust.stateOf(before)).kind !== 'trusted') return false;
    // The server may have been stopped or reconfigured meanwhile.
    const server = registry.find(id);
    if (server === undefined || server.state.kind === 'stopped') return false;
    if (configHash(server.config) !== configHash(before)) return false;
    logOf(server.config).info('a watched file changed: restarting');
    // The row shows why it did not start; the user did not ask for this start.
    await registry.restart(id).catch(() => undefined);
    if (registry.find(id)?.state.kind === 'running') this.#options.onRestarted?.(id);
    return true;
  }

  #giveUp(id: string, restarts: number): void {
    const config = this.#options.registry.find(id)?.config;
    if (config === undefined) return;
    this.#options
      .logOf(config)
      .info(`watched files changed again after ${restarts} restarts: not restarted any more`);
    const sentence = l10n.t(
      'File changes restarted server “{0}” {1} times in a row. Restart it yourself, and check “dev.watch”: it may match files that the server writes.',
      quoted(config.label),
      restarts,
    );
    notify(
      'warning',
      sentence,
      {
        title: l10n.t('Restart Server'),
        command: commands.restartServer,
        arguments: [id],
      },
      {
        title: l10n.t('Open Configuration'),
        command: commands.openServerConfiguration,
        arguments: [id],
      },
    );
  }
}

interface WatchedFolder {
  readonly id: string;
  readonly folder: string;
  readonly glob: string;
}

/** True if the server was stopped, or starts for another reason than a crash. */
function isByHand(server: Server | undefined): boolean {
  if (server === undefined) return false;
  const { state, restarts } = server;
  return state.kind === 'stopped' || (state.kind === 'starting' && restarts === undefined);
}

/** Returns the base folder of its globs: its own workspace folder, or the first one. */
export function watchFolderOf({ source }: ServerConfig): string | undefined {
  if ('folder' in source && typeof source.folder === 'string') return source.folder;
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}
