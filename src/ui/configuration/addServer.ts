import * as vscode from 'vscode';
import { visibleText, withoutIcons } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import { commands, settings } from '../../ids';
import { type CommandLine, parseCommandLine } from './commandLine';
import {
  addServerToFile,
  configurationFilePath,
  configurationFiles,
  createFile,
  openConfigurationFile,
  openSetting,
} from './configurationFiles';
import type { ConfigurationWatcher } from './configurationWatcher';
import { tell } from '../messages';
import { quoted } from '../words/sentences';

export interface AddServerParts {
  readonly registry: ServerRegistry;
  readonly watcher: ConfigurationWatcher;
}

interface PlaceItem extends vscode.QuickPickItem {
  readonly add: () => Promise<void>;
}

const maxNameChars = 200;

/** Asks where, then for a name and a command line, and writes the entry. */
export async function addServer(parts: AddServerParts): Promise<void> {
  const files = configurationFiles().map(({ folder, uri }): PlaceItem => ({
    label: vscode.l10n.t('$(folder) In this workspace'),
    description: withoutIcons(`${visibleText(folder.name, maxNameChars)}/${configurationFilePath}`),
    detail: vscode.l10n.t('For everybody who works on this folder'),
    add: () => addToFile(parts, uri),
  }));
  const setting: PlaceItem = {
    label: vscode.l10n.t('$(account) In your settings'),
    description: `${settings.section}.${settings.servers}`,
    detail: vscode.l10n.t('For you, in every workspace'),
    add: () => openSetting(settings.servers),
  };
  const demo: PlaceItem = {
    label: vscode.l10n.t('$(beaker) Demo server'),
    detail: vscode.l10n.t('Comes with Toolgate, to look around'),
    add: async () => {
      await vscode.commands.executeCommand(commands.addDemoServer);
    },
  };
  const place = await vscode.window.showQuickPick([...files, setting, demo], {
    title: vscode.l10n.t('Add Server'),
    placeHolder: vscode.l10n.t('Choose where the server is configured'),
  });
  await place?.add();
}

async function addToFile({ registry, watcher }: AddServerParts, uri: vscode.Uri): Promise<void> {
  const name = await askName(registry);
  const line = name === undefined ? undefined : await askCommandLine();
  if (name === undefined || line === undefined) return;
  await createFile(uri, '{}\n');
  const outcome = await addServerToFile(uri, name, line);
  await openConfigurationFile(uri, ['servers', name]);
  const server = quoted(name);
  switch (outcome) {
    case 'saved':
      await watcher.reload();
      tell('information', vscode.l10n.t('Server “{0}” was added.', server), {
        title: vscode.l10n.t('Start Server'),
        command: commands.startServer,
        arguments: [name],
      });
      return;
    case 'unsaved':
      tell(
        'information',
        vscode.l10n.t(
          'Server “{0}” was written into the file, which has other unsaved changes. Save it to add the server.',
          server,
        ),
      );
      return;
    case 'impossible':
      tell(
        'error',
        vscode.l10n.t(
          'Server “{0}” was not added, because the file is not valid JSON, cannot be written, or has that name already. Correct the file and try again.',
          server,
        ),
      );
  }
}

async function askName(registry: ServerRegistry): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add Server (1 of 2)'),
    prompt: vscode.l10n.t('A short name for the server'),
    placeHolder: 'files',
    ignoreFocusOut: true,
    validateInput: (value) => {
      if (value.trim() === '') return vscode.l10n.t('Enter a name.');
      if (value.length > maxNameChars) {
        return vscode.l10n.t('Enter at most {0} characters.', maxNameChars);
      }
      return registry.find(value.trim()) === undefined
        ? undefined
        : vscode.l10n.t('There is a server of this name already.');
    },
  });
  return name?.trim();
}

async function askCommandLine(): Promise<CommandLine | undefined> {
  const line = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add Server (2 of 2)'),
    prompt: vscode.l10n.t(
      'The program and its arguments, with quotes around parts that have blanks. No shell runs it.',
    ),
    placeHolder: 'npx -y @modelcontextprotocol/server-filesystem ${workspaceFolder}',
    ignoreFocusOut: true,
    validateInput: (value) =>
      parseCommandLine(value) === undefined
        ? vscode.l10n.t('Enter a program; every quote needs its partner.')
        : undefined,
  });
  return line === undefined ? undefined : parseCommandLine(line);
}
