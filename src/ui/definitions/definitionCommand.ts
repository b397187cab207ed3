import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolEntry } from '../../host/connections/snapshot';
import type { History } from '../../host/history/history';
import type { LastTools } from '../../host/lastTools/lastTools';
import { commands } from '../../ids';
import { notifyNotCallable } from '../calls/missingTool';
import { commandTarget, keepsFocus } from '../editor/commandTarget';
import { notify } from '../editor/messages';
import { isUserChoice, markOwnArgument } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import { pickTool } from '../picking/toolPicker';
import type { ServerActions } from '../servers/serverActions';
import type { Definitions } from './definitions';

export interface DefinitionCommandOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'find'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll'>;
  readonly lastTools: Pick<LastTools, 'read' | 'of' | 'listedAt'>;
  readonly history: Pick<History, 'read' | 'calls' | 'lastOfEachTool'>;
  readonly definitions: Pick<Definitions, 'find' | 'show'>;
}

/**
 * Show Tool Definition, and Open App Page: for a tree row, a lens or a picked tool. The former
 * starts no server.
 */
export function registerDefinitionCommand(options: DefinitionCommandOptions): vscode.Disposable {
  const on = (
    command: string,
    pick: () => Promise<ToolEntry | undefined>,
    act: (entry: ToolEntry, argument: unknown, how: unknown) => Promise<void>,
  ) =>
    vscode.commands.registerCommand(command, async (argument: unknown, how: unknown) => {
      const { serverId, toolName } = commandTarget(argument);
      const isOfRow = serverId !== undefined && toolName !== undefined;
      const entry = isOfRow ? await options.definitions.find(serverId, toolName) : await pick();
      if (entry !== undefined) await act(entry, argument, how);
      else if (isOfRow) notifyNotCallable(toolName, false);
    });
  return vscode.Disposable.from(
    on(
      commands.showDefinition,
      () => pickDefinition(options),
      (entry, _argument, how) => options.definitions.show(entry, how === keepsFocus),
    ),
    on(commands.openApp, () => pickApp(options), openApp),
  );
}

function pickDefinition(options: DefinitionCommandOptions): Promise<ToolEntry | undefined> {
  const { definitions } = options;
  const findTool = (serverId: string, name: string) => definitions.find(serverId, name);
  return pickTool({ ...options, findTool, title: l10n.t('Show Tool Definition') });
}

/** Offers the tools of running servers that have a page. */
async function pickApp({ registry, actions }: DefinitionCommandOptions) {
  const withApps = () =>
    registry.servers.map((server) => ({
      ...server,
      tools: server.tools.filter(({ tool }) => tool.app?.resourceUri !== undefined),
    }));
  if (withApps().some(({ tools }) => tools.length > 0)) {
    const found = {
      get servers() {
        return withApps();
      },
    };
    return pickTool({ registry: found, actions, title: l10n.t('Open App Page') });
  }
  notify('information', l10n.t('No running server has a tool with an app.'));
  return undefined;
}

/** Reads the page as any other resource, so it asks as that does. */
async function openApp({ serverId, tool }: ToolEntry, argument: unknown): Promise<void> {
  const uri = tool.app?.resourceUri;
  if (uri === undefined) {
    notify('information', l10n.t('Tool “{0}” has no app.', quoted(tool.name)));
    return;
  }
  const target = { serverId, uri };
  const isChosen = isUserChoice(argument);
  await vscode.commands.executeCommand(
    commands.openResource,
    isChosen ? markOwnArgument(target) : target,
  );
}
