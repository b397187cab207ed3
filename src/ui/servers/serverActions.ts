import * as vscode from 'vscode';
import { McpError, toMcpError } from '../../core/errors';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import { withDelayedProgress } from '../delayedProgress';
import { tell, tellServerError } from '../messages';
import { quoted } from '../words/sentences';

/**
 * Starting and stopping as a person asks for it: with progress when it takes a moment, and a
 * message when it fails. Nothing here rejects; the answer says whether it worked.
 */
export class ServerActions {
  readonly #registry: ServerRegistry;

  constructor(registry: ServerRegistry) {
    this.#registry = registry;
  }

  start(id: string): Promise<boolean> {
    return this.#run(
      id,
      (label) => vscode.l10n.t('Starting server “{0}”…', label),
      (token) => this.#registry.start(id, token),
    );
  }

  restart(id: string): Promise<boolean> {
    return this.#run(
      id,
      (label) => vscode.l10n.t('Restarting server “{0}”…', label),
      (token) => this.#registry.restart(id, token),
    );
  }

  stop(id: string): Promise<boolean> {
    return this.#run(
      id,
      (label) => vscode.l10n.t('Stopping server “{0}”…', label),
      () => this.#registry.stop(id),
    );
  }

  refreshTools(id: string): Promise<boolean> {
    return this.#run(
      id,
      (label) => vscode.l10n.t('Listing the tools of “{0}”…', label),
      () => this.#registry.refreshTools(id),
    );
  }

  /** Starts all of `servers`; failures make one message, and each has its row in the tree. */
  async startAll(servers: readonly Server[]): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      tell(
        'error',
        vscode.l10n.t(
          'No server was started: this workspace is not trusted, and a server is a program that runs on your machine. Trust the workspace first.',
        ),
        { title: vscode.l10n.t('Manage Workspace Trust'), command: 'workbench.trust.manage' },
      );
      return;
    }
    const title = vscode.l10n.t('Starting {0} servers…', servers.length);
    const failed = await withDelayedProgress(title, async (token) => {
      const errors = await Promise.all(
        servers.map(async ({ config }) => {
          try {
            await this.#registry.start(config.id, token);
            return [];
          } catch (error) {
            return [{ config, error: toMcpError(error) }];
          }
        }),
      );
      return errors.flat().filter(({ error }) => error.code !== 'cancelled');
    });
    const [first] = failed;
    if (first === undefined) return;
    if (failed.length === 1) {
      tellServerError(first.config, first.error);
      return;
    }
    const names = failed.map(({ config }) => quoted(config.label)).slice(0, maxNames);
    const shown = failed.length > names.length ? [...names, '…'] : names;
    tell(
      'error',
      vscode.l10n.t(
        '{0} of {1} servers did not start: {2}. Their rows in the tree say why.',
        failed.length,
        servers.length,
        shown.join(', '),
      ),
    );
  }

  async #run(
    id: string,
    title: (label: string) => string,
    act: (token: vscode.CancellationToken) => Promise<unknown>,
  ): Promise<boolean> {
    const label = this.#registry.find(id)?.config.label ?? id;
    try {
      if (this.#registry.find(id) === undefined) throw new McpError('unknownServer');
      // Work that takes no token cannot be called off.
      await withDelayedProgress(title(quoted(label)), act, act.length > 0);
      return true;
    } catch (error) {
      tellServerError({ id, label }, toMcpError(error));
      return false;
    }
  }
}

const maxNames = 5;
