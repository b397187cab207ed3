import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { toMcpError } from '../../core/errors';
import { type DisabledItems, isLeftOut } from '../../host/configuration/toolChoices';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import { commands } from '../../ids';
import { notify } from '../editor/messages';
import { confirmIfForeign, markOwnArgument, commandTarget } from '../editor/ownArguments';
import { namedServer, pickToolOf, type ToolItem } from '../servers/serverPicker';
import { quoted } from '../format/sentences';

interface DisableCommandsOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'find' | 'reassessMarks'>;
  readonly disabled: DisabledItems;
}

/** Enables and disables servers and tools from a row or by a picker. Files do not change. */
export function registerDisableCommands(options: DisableCommandsOptions): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    options.disabled.onDidChange(() => options.registry.reassessMarks()),
    register(commands.disableServer, (row: unknown) => setServer(options, row, true)),
    register(commands.enableServer, (row: unknown) => setServer(options, row, false)),
    register(commands.disableTool, (row: unknown) => setTool(options, row, true)),
    register(commands.enableTool, (row: unknown) => setTool(options, row, false)),
  );
}

async function setServer(
  { registry, disabled }: DisableCommandsOptions,
  row: unknown,
  isDisabled: boolean,
): Promise<void> {
  const server = await namedServer(row, {
    registry,
    title: isDisabled ? l10n.t('Disable Server') : l10n.t('Enable Server'),
    fits: (each) => (each.isDisabled === true) !== isDisabled,
    none: [isDisabled ? l10n.t('No server can be disabled.') : l10n.t('No server is disabled.')],
  });
  if (server === undefined) return;
  if (!(await agreesToSwitch(row, quoted(server.config.label), isDisabled))) return;
  await remembered(() => disabled.setServer(server.config, isDisabled));
}

async function setTool(
  { registry, disabled }: DisableCommandsOptions,
  row: unknown,
  isDisabled: boolean,
): Promise<void> {
  const { serverId, toolName } = commandTarget(row);
  const servers = registry.servers.filter(
    ({ config }) => serverId === undefined || config.id === serverId,
  );
  const picked =
    serverId === undefined || toolName === undefined
      ? await chooseTool(servers, isDisabled)
      : { serverId, toolName };
  const server = picked && registry.find(picked.serverId);
  if (picked === undefined || server === undefined) return;
  const isNamed = serverId !== undefined && toolName !== undefined;
  const name = quoted(picked.toolName);
  if (!isDisabled && isLeftOut(server.config, picked.toolName)) {
    notify('information', l10n.t('“{0}” is not among the "tools" of its server’s entry.', name), {
      title: l10n.t('Open Server Configuration'),
      command: commands.openServerConfiguration,
      arguments: [markOwnArgument({ serverId: picked.serverId })],
    });
    return;
  }
  if (isNamed && !(await agreesToSwitch(row, name, isDisabled))) return;
  await remembered(() => disabled.setTool(server.config, picked.toolName, isDisabled));
}

/** `name` is already quoted. */
function agreesToSwitch(row: unknown, name: string, isDisabled: boolean): Promise<boolean> {
  return isDisabled
    ? confirmIfForeign(row, l10n.t('Disable “{0}”?', name), l10n.t('Disable'))
    : confirmIfForeign(row, l10n.t('Enable “{0}”?', name), l10n.t('Enable'));
}

function chooseTool(
  servers: readonly Server[],
  isDisabled: boolean,
): Promise<ToolItem | undefined> {
  return pickToolOf(servers, {
    isFitting: (entry) => (entry.isDisabled === true) !== isDisabled,
    title: isDisabled ? l10n.t('Disable Tool') : l10n.t('Enable Tool'),
    none: isDisabled
      ? l10n.t('No tools are listed. Start a server first.')
      : l10n.t('No tool of a running server is disabled.'),
  });
}

/** If the choice cannot be stored, it still applies in this window. */
export async function remembered(set: () => Promise<void>): Promise<void> {
  try {
    await set();
  } catch (error) {
    notify(
      'warning',
      l10n.t(
        'This could not be stored and lasts until you close the window. Check the disk space. Details: “{0}”',
        quoted(toMcpError(error).message),
      ),
    );
  }
}
