import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import { commandTarget } from '../editor/ownArguments';
import {
  addServerActions,
  type MessageAction,
  notify,
  startServerAction,
} from '../editor/messages';
import { formatSource } from '../format/sentencesOfProblems';
import { formatServerState } from '../format/formatServerState';
import { quoted } from '../format/sentences';
import { toolTitle } from '../format/toolTitle';
import { labelText } from '../format/labelText';

interface ServerItem extends vscode.QuickPickItem {
  readonly server: Server;
}

/** The servers that suit a command. */
export interface ServerChoice {
  readonly registry: Pick<ServerRegistry, 'servers' | 'find'>;
  readonly title: string;
  /** Defaults to all servers. */
  readonly fits?: (server: Server) => boolean;
  /** Tells the user that none of the configured servers fits. */
  readonly none?: readonly [sentence: string, ...actions: readonly MessageAction[]];
}

/** Returns the server that the argument of a command names, or the one that the user chooses. */
export async function namedServer(
  argument: unknown,
  choice: ServerChoice,
): Promise<Server | undefined> {
  const { serverId } = commandTarget(argument);
  return serverId === undefined ? chooseServer(choice) : choice.registry.find(serverId);
}

/** Lets the user choose one of the servers that fit, or says that there are none. */
export async function chooseServer({
  registry: { servers },
  title,
  fits = () => true,
  none,
}: ServerChoice): Promise<Server | undefined> {
  const fitting = servers.filter(fits);
  if (fitting.length > 0) return pickServer(fitting, title);
  notifyNoServer(servers, none);
  return undefined;
}

/** `none` applies if servers are configured. */
export function notifyNoServer(servers: readonly Server[], none: ServerChoice['none']): void {
  if (none !== undefined && servers.length > 0) notify('information', ...none);
  else notify('information', l10n.t('No server is configured.'), ...addServerActions());
}

/**
 * Lets the user choose one of `servers`, of which there must be at least one. Resolves with
 * `undefined` if the picker is closed.
 */
async function pickServer(servers: readonly Server[], title: string): Promise<Server | undefined> {
  const items = servers.map(serverItem);
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: l10n.t('Choose a server'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.server;
}

function serverItem(server: Server): ServerItem {
  const { config } = server;
  return {
    server,
    label: labelText(config.label),
    description: formatServerState(server),
    detail: escapeIcons(formatSource(config.source)),
  };
}

/** A tool that a server lists. */
export interface ToolItem extends vscode.QuickPickItem {
  readonly serverId: string;
  readonly toolName: string;
}

interface ToolPicking {
  readonly isFitting: (entry: ToolEntry) => boolean;
  readonly title: string;
  /** Defaults to the title of the tool. */
  readonly labelOf?: typeof toolTitle;
  /** Message if no tool qualifies. */
  readonly none: string;
}

/** Lets the user pick one of the tools that servers list now. */
export async function pickToolOf(
  servers: readonly Server[],
  { isFitting, title, labelOf = toolTitle, none }: ToolPicking,
): Promise<ToolItem | undefined> {
  const items = servers.flatMap(({ config, tools }) =>
    tools.filter(isFitting).map(({ tool }): ToolItem => ({
      serverId: config.id,
      toolName: tool.name,
      label: escapeIcons(labelOf(tool)),
      description: escapeIcons(quoted(config.label)),
    })),
  );
  if (items.length > 0) {
    return vscode.window.showQuickPick(items, {
      title,
      placeHolder: l10n.t('Choose a tool'),
      matchOnDescription: true,
    });
  }
  notify('information', none, startServerAction());
  return undefined;
}
