import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import { commands, settings } from '../../ids';
import { notify } from '../editor/messages';
import { formatSource } from '../format/sentencesOfProblems';
import { labelText } from '../format/labelText';
import type { SettingsReader } from '../settings/settings';
import {
  copyAgentConfiguration,
  type AgentConfigurationCommandOptions,
} from './agentConfigurationCommand';

interface AgentCommandsOptions extends Omit<AgentConfigurationCommandOptions, 'turnOn'> {
  readonly registry: Pick<ServerRegistry, 'servers'>;
  readonly settings: Pick<SettingsReader, 'current'>;
  /**
   * Closes all connections of agents and blocks new ones in this window. Resolves with false if
   * agents were not allowed.
   */
  readonly cutOff: () => Promise<boolean>;
  /** Lists the calls of agents that wait for an answer. Resolves with false if there are none. */
  readonly answerAll: () => Promise<boolean>;
}

/**
 * Registers the user's commands for agents: choose the servers they may use, connect one, and disconnect all.
 */
export function registerAgentCommands(options: AgentCommandsOptions): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commands.exposeToAgents, () => exposeServers(options)),
    vscode.commands.registerCommand(commands.copyAgentConfiguration, () =>
      copyAgentConfiguration({ ...options, turnOn: () => allowAgents(options) }),
    ),
    vscode.commands.registerCommand(commands.cutOffAgents, () => cutOffAgents(options)),
    vscode.commands.registerCommand(commands.answerAgents, () => answerAgents(options)),
  );
}

async function exposeServers(options: AgentCommandsOptions): Promise<void> {
  const { registry } = options;
  const exposed = options.settings.current.agentServers;
  const items = registry.servers.map(({ config }) => ({
    id: config.id,
    label: labelText(config.label),
    detail: escapeIcons(formatSource(config.source)),
    picked: exposed.includes(config.id),
  }));
  if (items.length === 0) {
    notify('information', l10n.t('No server is configured.'), {
      title: l10n.t('Add Server…'),
      command: commands.addServer,
    });
    return;
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title: l10n.t('Expose to Agents'),
    placeHolder: l10n.t('Servers that agents can use'),
    canPickMany: true,
  });
  if (chosen === undefined) return;
  // Servers of other workspaces keep their setting.
  const others = exposed.filter((id) => !items.some((item) => item.id === id));
  await update(settings.agentServers, [...others, ...chosen.map(({ id }) => id)]);
  if (chosen.length > 0) await allowAgents(options);
}

/** Asks to allow agents if they are not allowed. Resolves with true if they are allowed then. */
async function allowAgents(options: AgentCommandsOptions): Promise<boolean> {
  if (options.settings.current.servesAgents) return true;
  const turnOn = l10n.t('Turn On');
  const chosen = await vscode.window.showInformationMessage(
    l10n.t('Let agents on this machine call tools?'),
    {
      modal: true,
      detail: l10n.t(
        'Agents see the tools of exposed servers. You are asked about each call. The setting is {0}.',
        `${settings.section}.${settings.agentsEnabled}`,
      ),
    },
    turnOn,
  );
  if (chosen !== turnOn) return false;
  await update(settings.agentsEnabled, true);
  return true;
}

async function answerAgents(options: AgentCommandsOptions): Promise<void> {
  if (await options.answerAll()) return;
  notify('information', l10n.t('No agent call is waiting for you.'));
}

async function cutOffAgents(options: AgentCommandsOptions): Promise<void> {
  const sentence = (await options.cutOff())
    ? l10n.t(
        'Agents are disconnected until you reload this window or turn {0} off and on.',
        `${settings.section}.${settings.agentsEnabled}`,
      )
    : l10n.t('This window accepts no agents.');
  notify('information', sentence);
}

async function update(name: string, value: unknown): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(settings.section);
  await configuration.update(name, value, vscode.ConfigurationTarget.Global);
}
