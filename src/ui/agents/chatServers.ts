import * as l10n from '@vscode/l10n';
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { visibleText } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import { chatServersProvider } from '../../ids';
import type { SettingsReader } from '../settings/settings';

const maxLabelChars = 100;

export interface ChatServersOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'onDidChange'>;
  readonly settings: Pick<SettingsReader, 'current' | 'onDidChange'>;
  /** Path of the bridge. */
  readonly gateway: string;
  readonly version: string;
  /** Resolves after this window has opened or closed its endpoint, with true if it is open. */
  readonly isOpen: () => Promise<boolean>;
}

/** A server that is offered to VS Code. VS Code's own copy keeps these members. */
type Definition = vscode.McpStdioServerDefinition;

/**
 * Offers the servers that agents may use to VS Code's own chat, and through VS Code to its agent
 * host. Each has a name of its own, so that tools keep theirs. VS Code starts the bridge like any
 * agent. It stores the definitions, so they contain no secrets. They contain the window, because the
 * agent host starts them as they are, in a folder of its own.
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

  /** Does nothing if VS Code lacks this API, as forks may. */
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
      // The extension host runs in Node or in Electron, which this variable makes behave like Node.
      const env = { ELECTRON_RUN_AS_NODE: '1' };
      const { execPath } = process;
      return new vscode.McpStdioServerDefinition(
        label,
        execPath,
        [gateway, ...thisWindow(), '--server', id],
        env,
        version,
      );
    });
  }

  /** @throws if agents are no longer allowed */
  async resolveMcpServerDefinition(definition: Definition): Promise<Definition> {
    if (!(await this.#options.isOpen())) {
      throw new Error(l10n.t('This window accepts no agents.'));
    }
    const [gateway = '', ...given] = definition.args;
    // VS Code may have stored the definition with an earlier process of this window, or without one.
    const rest = given[0] === windowArgument ? given.slice(2) : given;
    definition.args = [gateway, ...thisWindow(), ...rest];
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
    // VS Code identifies a server by its label and would lose one of two equal ones. The agent host
    // replaces most characters in names of tools, and would lose one of two similar ones.
    const taken = new Set<string>();
    return registry.servers
      .filter(({ config, isDisabled }) => agentServers.includes(config.id) && isDisabled !== true)
      .map(({ config: { id, label } }) => {
        const names = [labelOf(label), labelOf(id), `${labelOf(label)} ${hashOf(id)}`];
        const name = names.find((each) => !taken.has(comparable(each))) ?? labelOf(id);
        taken.add(comparable(name));
        return [id, l10n.t('{0} through Toolgate', name)] as const;
      });
  }
}

function labelOf(name: string): string {
  return visibleText(name, maxLabelChars);
}

/** Names with the same result can become the same name in the agent host. */
function comparable(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_]/gu, '-');
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 8);
}

const windowArgument = '--window';

function thisWindow(): readonly [string, string] {
  return [windowArgument, String(process.pid)];
}
