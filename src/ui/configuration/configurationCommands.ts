import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import { visibleText, escapeIcons } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import { entryPath, formatOf } from '../../host/configuration/configurationFormats';
import type { ConfigSource } from '../../host/configuration/serverConfig';
import { commands, settings } from '../../ids';
import { commandTarget, targetProblem } from '../editor/commandTarget';
import { markOwnArgument } from '../editor/ownArguments';
import {
  createFile,
  exists,
  openConfigurationFile,
  openSetting,
} from '../editor/configurationFiles';
import { sourceFiles, type SourceFile } from '../editor/configurationSources';
import type { ConfigurationWatcher } from './configurationWatcher';
import { addDemoServer, removeDemoServer } from './demoServerCommands';
import type { ServerActions } from '../servers/serverActions';
import { formatSource } from '../format/sentencesOfProblems';

export interface ConfigurationCommandsOptions {
  readonly registry: ServerRegistry;
  readonly actions: ServerActions;
  readonly watcher: ConfigurationWatcher;
  /** Paths of the user's own files, in order of precedence. */
  readonly userFiles: readonly string[];
}

/** Registers the commands that open the configuration and add to it. */
export function registerConfigurationCommands(
  options: ConfigurationCommandsOptions,
): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register(commands.openServerConfiguration, (argument: unknown) =>
      openServerConfiguration(options, argument),
    ),
    register(commands.addDemoServer, () => addDemoServer(options)),
    register(commands.removeDemoServer, () => removeDemoServer()),
  );
}

/**
 * Opens the configuration at the problem or server of the row. Without a row, the user picks a
 * source.
 */
async function openServerConfiguration(
  { registry, userFiles }: ConfigurationCommandsOptions,
  argument: unknown,
): Promise<void> {
  const problems = [
    ...registry.problems,
    ...registry.servers.flatMap(({ configProblems }) => configProblems),
  ];
  const problem = targetProblem(argument, problems);
  if (problem) return openSource(problem.source, problem.path);
  const { serverId } = commandTarget(argument);
  const server = serverId === undefined ? undefined : registry.find(serverId);
  if (server)
    return openSource(server.config.source, entryPath(server.config.source, server.config.id));
  await (await pickSource(userFiles))?.open();
}

async function openSource(source: ConfigSource, path: readonly (string | number)[]): Promise<void> {
  switch (source.kind) {
    case 'workspaceFile':
    case 'userFile':
      await openConfigurationFile(vscode.Uri.file(source.path), path);
      return;
    case 'recording':
      await vscode.commands.executeCommand(
        commands.openRecording,
        markOwnArgument({ file: source.path }),
      );
      return;
    case 'setting':
      return openSetting(settings.servers);
    case 'demo':
      return openSetting(settings.demoServer);
    default:
      return assertNever(source);
  }
}

interface SourceItem extends vscode.QuickPickItem {
  readonly open: () => Promise<void>;
}

/** Lists every source of servers. A file of another client is listed only if it exists. */
async function pickSource(userFiles: readonly string[]): Promise<SourceItem | undefined> {
  const files = await Promise.all(sourceFiles(userFiles).map(fileItem));
  const setting: SourceItem = {
    label: formatSource({ kind: 'setting' }),
    detail: l10n.t('Your servers in every workspace'),
    open: () => openSetting(settings.servers),
  };
  return vscode.window.showQuickPick([...files.flat(), setting], {
    title: l10n.t('Open Server Configuration'),
    placeHolder: l10n.t('Choose where to configure servers'),
  });
}

async function fileItem({ source, folder }: SourceFile): Promise<SourceItem[]> {
  const uri = vscode.Uri.file(source.path);
  const isThere = await exists(uri);
  if (!isThere && formatOf(source) !== 'vscode') return [];
  const there =
    folder === undefined
      ? l10n.t('Your servers in every workspace, which VS Code also reads')
      : l10n.t('Servers of this workspace folder');
  return [
    {
      label: escapeIcons(formatSource(source)),
      description: escapeIcons(visibleText(folder?.name ?? source.path, maxNameChars)),
      detail: isThere ? there : l10n.t('Does not exist yet; select to create it'),
      open: async () => {
        if (!isThere) await createFile(uri, newConfigurationFile());
        await openConfigurationFile(uri);
      },
    },
  ];
}

const maxNameChars = 200;

/** Returns an example that is commented out. */
function newConfigurationFile(): string {
  const lines = [
    '{',
    `  // ${l10n.t('MCP servers. Toolgate asks before it starts one for the first time.')}`,
    '  "servers": {',
    '    // "files": {',
    '    //   "command": "npx",',
    '    //   "args": ["-y", "@modelcontextprotocol/server-filesystem", "${workspaceFolder}"]',
    '    // }',
    '  }',
    '}',
  ];
  return `${lines.join('\n')}\n`;
}
