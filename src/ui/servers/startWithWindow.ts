import * as vscode from 'vscode';
import { configHash } from '../../host/configuration/configurationHash';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import type { ServerTrust } from '../../host/consent/trust/serverTrust';
import type { SettingsReader } from '../settings/settings';

export interface StartWithWindowOptions {
  readonly registry: ServerRegistry;
  readonly settings: Pick<SettingsReader, 'current' | 'onDidChange'>;
  readonly trust: Pick<ServerTrust, 'stateOf'>;
  readonly secrets: {
    readonly questions: {
      /** Whether nothing would be asked for these. */
      readonly areKnown: (inputs: ServerConfig['inputs']) => Promise<boolean>;
    };
  };
}

/**
 * Starts servers without being asked to, where the person has set that: each once per
 * configuration, so that one that was stopped stays so, and only those that need no question. A
 * window that opens with a dialog is what nobody wants; the others start on first use.
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
    const isWished = this.#options.settings.current.startServers === 'always';
    return (
      isWished &&
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
    // As it is now: it may have been configured anew, or disabled, while that was found out.
    const now = registry.find(config.id);
    if (now === undefined || configHash(now.config) !== configHash(config)) return;
    // Why one did not start stands on its row; nobody has asked for it just now.
    if (this.#isToStart(now)) await registry.start(config.id).catch(() => undefined);
  }
}
