import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ServerRegistry } from '../../host/connections/registry';
import { isActive, type Server } from '../../host/connections/snapshot';
import { type CommandId, commands } from '../../ids';
import { isUserChoice, commandTarget } from '../editor/ownArguments';
import { isIdle } from '../format/formatServerState';
import { startServerAction, showStatus } from '../editor/messages';
import type { ServerActions } from './serverActions';
import type { ServerLogs } from './serverLogs';
import {
  chooseServer,
  notifyNoServer,
  pickToolOf,
  type ServerChoice,
  type ToolItem,
} from './serverPicker';
import { quoted } from '../format/sentences';
import { toolNameText } from '../format/toolTitle';

export interface ServerCommandsOptions {
  readonly registry: ServerRegistry;
  readonly actions: ServerActions;
  readonly logs: ServerLogs;
}

/** `isFromUser` means that the user asked for it and waits. */
type Act = (id: string, isByHand: boolean) => unknown;

/** Registers start, stop, restart, refresh and log, for a row or for a picked server. */
export function registerServerCommands(options: ServerCommandsOptions): vscode.Disposable {
  const { registry, actions, logs } = options;
  const onServer = (command: CommandId, choice: Omit<ServerChoice, 'registry'>, act: Act) =>
    vscode.commands.registerCommand(command, async (argument: unknown) => {
      const id =
        commandTarget(argument).serverId ??
        (await chooseServer({ registry, ...choice }))?.config.id;
      if (id !== undefined) await act(id, isUserChoice(argument));
    });
  const none = noneRuns();
  const toStart = { title: l10n.t('Start Server'), fits: isIdle, none: allRun() };
  return vscode.Disposable.from(
    registerCopyToolName(registry),
    // The row of a remote server has the second one, which differs in its title.
    ...[commands.startServer, commands.connectServer].map((command) =>
      onServer(command, toStart, (...args) => actions.start(...args)),
    ),
    onServer(commands.stopServer, { title: l10n.t('Stop Server'), fits: isActive, none }, (id) =>
      actions.stop(id),
    ),
    onServer(
      commands.restartServer,
      { title: l10n.t('Restart Server'), fits: isRestartable, none },
      (...args) => actions.restart(...args),
    ),
    onServer(commands.showServerLog, { title: l10n.t('Show Server Log') }, (id) => {
      const server = registry.find(id);
      (server === undefined ? logs.extension : logs.of(server.config)).show();
    }),
    vscode.commands.registerCommand(commands.refreshTools, (argument: unknown) =>
      refreshTools(options, argument),
    ),
    vscode.commands.registerCommand(commands.startAllServers, () => startAllServers(options)),
  );
}

function isRunning({ state }: Server): boolean {
  return state.kind === 'running';
}

function isRestartable({ state }: Server): boolean {
  return state.kind === 'running' || state.kind === 'failed';
}

/**
 * Without a row it refreshes every running server, because the button above the tree belongs to the
 * whole tree.
 */
async function refreshTools(
  { registry, actions }: ServerCommandsOptions,
  argument: unknown,
): Promise<void> {
  const { serverId } = commandTarget(argument);
  const running = registry.servers.filter(isRunning).map(({ config }) => config.id);
  const ids = serverId === undefined ? running : [serverId];
  if (ids.length === 0) notifyNoServer(registry.servers, noneRuns());
  await Promise.all(ids.map((id) => actions.refreshTools(id)));
}

async function startAllServers({ registry, actions }: ServerCommandsOptions): Promise<void> {
  const idle = registry.servers.filter(isIdle);
  if (idle.length === 0) notifyNoServer(registry.servers, allRun());
  else await actions.startAll(idle);
}

function noneRuns(): NonNullable<ServerChoice['none']> {
  return [l10n.t('No server is running.'), startServerAction()];
}

function allRun(): NonNullable<ServerChoice['none']> {
  return [l10n.t('All servers are already running.')];
}

/** Copies the name of a tool exactly as the server lists it. */
function registerCopyToolName(registry: ServerRegistry): vscode.Disposable {
  return vscode.commands.registerCommand(commands.copyToolName, async (argument: unknown) => {
    const name = commandTarget(argument).toolName ?? (await pickName(registry))?.toolName;
    if (name === undefined || name === '') return;
    await vscode.env.clipboard.writeText(name);
    showStatus(l10n.t('Copied “{0}”', quoted(name)), 3_000);
  });
}

function pickName({ servers }: ServerRegistry): Promise<ToolItem | undefined> {
  return pickToolOf(servers, {
    isFitting: () => true,
    title: l10n.t('Copy Tool Name'),
    labelOf: toolNameText,
    none: l10n.t('No tools are listed. Start a server first.'),
  });
}
