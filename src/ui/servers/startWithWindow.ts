import * as vscode from 'vscode';
import { configHash } from '../../host/configuration/configurationHash';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import type { ServerTrust } from '../../host/consent/trust/serverTrust';
import type { SettingsReader } from '../settings/settings';

interface StartWithWindowOptions {
  readonly registry: ServerRegistry;
  readonly settings: Pick<SettingsReader, 'current' | 'onDidChange'>;
  readonly trust: Pick<ServerTrust, 'stateOf'>;
  readonly secrets: {
    readonly questions: {
      /** Returns true if no value would have to be asked for. */
      readonly areKnown: (inputs: ServerConfig['inputs']) => Promise<boolean>;
    };
  };
}

/**
 * Starts servers when the window opens, if the user's setting says so. It starts each once per
 * configuration, so that a stopped server stays stopped, and only servers that need no question,
 * because a window should not open with a dialog. The others start on first use.
 */
export class StartWithWindow implements vscode.Disposable {
  readonly #options: StartWithWindowOptions;
  readonly #tried = new Set<string>();
  readonly #subscriptions: readonly { dispose(): void }[];

  constructor(options: StartWithWindowOptions) {
    this.#options = options;
    const start = (): void => this.#start();
    this.#subscriptions = [
      options.registry.onDidChange(({ kind }) => kind === 'servers' && start()),
      options.settings.onDidChange(start),
      vscode.workspace.onDidGrantWorkspaceTrust(start),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #start(): void {
    for (const server of this.#options.registry.servers) {
      if (this.#isToStart(server)) void this.#startUnasked(server);
    }
  }

  #isToStart({ state, configProblems, isDisabled }: Server): boolean {
    const isRequested = this.#options.settings.current.startServers === 'always';
    return (
      isRequested &&
      vscode.workspace.isTrusted &&
      isDisabled !== true &&
      state.kind === 'stopped' &&
      !configProblems.some(({ fatal }) => fatal)
    );
  }

  async #startUnasked({ config }: Server): Promise<void> {
    const { registry, trust, secrets } = this.#options;
    const key = JSON.stringify([config.id, configHash(config)]);
    if (this.#tried.has(key)) return;
    this.#tried.add(key);
    if ((await trust.stateOf(config)).kind !== 'trusted') return;
    if (!(await secrets.questions.areKnown(config.inputs))) return;
    // The server may have been reconfigured or disabled meanwhile.
    const now = registry.find(config.id);
    if (now === undefined || configHash(now.config) !== configHash(config)) return;
    // The row shows why it did not start; the user did not ask for this start.
    if (this.#isToStart(now)) await registry.start(config.id).catch(() => undefined);
  }
}
