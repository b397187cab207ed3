import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { visibleText } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import { chatServersProvider } from '../../ids';
import type { SettingsReader } from '../settings/settings';

const maxLabelChars = 100;

export interface ChatServersOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'onDidChange'>;
  readonly settings: Pick<SettingsReader, 'current' | 'onDidChange'>;
  /** File of the bridge. */
  readonly gateway: string;
  readonly version: string;
  /** Resolves once this window has opened or closed its endpoint. Whether it is open. */
  readonly isOpen: () => Promise<boolean>;
}

/** A server that VS Code is told of; what VS Code makes of it keeps these members. */
type Definition = vscode.McpStdioServerDefinition;

/**
 * Tells VS Code's own chat of the servers that are exposed to agents, each under a name of its own, so
 * that tools keep theirs. It starts the bridge like any agent. VS Code writes down what is provided:
 * nothing in it is secret, and which window is meant is only said when a server is started.
 */
export class ChatServers
  implements vscode.McpServerDefinitionProvider<Definition>, vscode.Disposable
{
  readonly #options: ChatServersOptions;
  readonly #subscription: vscode.Disposable;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChangeMcpServerDefinitions = this.#onDidChange.event;
  #told = '';

  constructor(options: ChatServersOptions) {
    this.#options = options;
    const { registry, settings } = options;
    const change = (): void => {
      const now = JSON.stringify(this.#exposed());
      if (now !== this.#told) this.#onDidChange.fire();
    };
    this.#subscription = vscode.Disposable.from(
      settings.onDidChange(change),
      registry.onDidChange(({ kind }) => {
        if (kind === 'servers') change();
      }),
    );
  }

  /** Where VS Code can be told of servers; forks may lack it. */
  register(): vscode.Disposable {
    const { lm } = vscode;
    if (typeof lm?.registerMcpServerDefinitionProvider !== 'function') return this;
    const registered = lm.registerMcpServerDefinitionProvider(chatServersProvider, this);
    return vscode.Disposable.from(registered, this);
  }

  provideMcpServerDefinitions(): Definition[] {
    const { gateway, version } = this.#options;
    const exposed = this.#exposed();
    this.#told = JSON.stringify(exposed);
    return exposed.map(([id, label]) => {
      // What runs extensions is Node itself, or Electron that can be told to be.
      const env = { ELECTRON_RUN_AS_NODE: '1' };
      const { execPath } = process;
      return new vscode.McpStdioServerDefinition(
        label,
        execPath,
        [gateway, '--server', id],
        env,
        version,
      );
    });
  }

  /** @throws when agents are not let in any more */
  async resolveMcpServerDefinition(definition: Definition): Promise<Definition> {
    if (!(await this.#options.isOpen())) {
      throw new Error(l10n.t('This window accepts no agents.'));
    }
    const [gateway = '', ...given] = definition.args;
    // VS Code may hand over what it was given back before.
    const rest = given[0] === windowArgument ? given.slice(2) : given;
    definition.args = [gateway, windowArgument, String(process.pid), ...rest];
    return definition;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  #exposed(): readonly (readonly [id: string, label: string])[] {
    const { registry, settings } = this.#options;
    const { servesAgents, agentServers } = settings.current;
    if (!servesAgents) return [];
    // VS Code knows a server by its label: of two that have the same one it would lose one.
    const labels = new Set<string>();
    return registry.servers
      .filter(({ config, isDisabled }) => agentServers.includes(config.id) && isDisabled !== true)
      .map(({ config: { id, label } }) => {
        const name = [label, id].map(labelOf).find((each) => !labels.has(each)) ?? labelOf(id);
        labels.add(name);
        return [id, l10n.t('{0} through Toolgate', name)] as const;
      });
  }
}

function labelOf(name: string): string {
  return visibleText(name, maxLabelChars);
}

const windowArgument = '--window';
