import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import { escapeIcons } from '../../core/visibleText';
import { entryPath, formatOf } from '../../host/configuration/configurationFormats';
import type { ConfigSource, ServerConfig } from '../../host/configuration/serverConfig';
import type { ServerRegistry } from '../../host/connections/registry';
import { commands, settings, views } from '../../ids';
import {
  createFile,
  exists,
  openConfigurationFile,
  openSetting,
} from '../editor/configurationFiles';
import { sourceFiles, type SourceFile } from '../editor/configurationSources';
import { labelOfFolder } from '../editor/localFolders';
import { notify } from '../editor/messages';
import { markOwnArgument, commandTarget, targetProblem } from '../editor/ownArguments';
import { formatSource } from '../format/sentencesOfProblems';
import { labelText } from '../format/labelText';
import type { ServerActions } from '../servers/serverActions';
import type { ConfigurationWatcher } from './configurationWatcher';

interface ConfigurationCommandsOptions {
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
      description: labelText(folder === undefined ? source.path : labelOfFolder(folder.uri.fsPath)),
      detail: isThere ? there : l10n.t('Does not exist yet; select to create it'),
      open: async () => {
        if (!isThere) await createFile(uri, newConfigurationFile());
        await openConfigurationFile(uri);
      },
    },
  ];
}

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

interface DemoServerOptions {
  readonly registry: ServerRegistry;
  readonly actions: ServerActions;
  readonly watcher: ConfigurationWatcher;
}

/** Adds the demo server to the list, shows the list and starts it. */
async function addDemoServer({ registry, actions, watcher }: DemoServerOptions): Promise<void> {
  await setDemoServer(true);
  await watcher.reload();
  await vscode.commands.executeCommand(`${views.servers}.focus`);
  const source = registry.find(demoServerId)?.config.source;
  if (source?.kind === 'demo') {
    await actions.start(demoServerId);
    return;
  }
  notify(
    'warning',
    l10n.t(
      'The demo server is not listed because another server is named “{0}”. Rename that server.',
      demoServerId,
    ),
    {
      title: l10n.t('Open Configuration'),
      command: commands.openServerConfiguration,
      arguments: [demoServerId],
    },
  );
}

/** Removes the demo server from the list, which stops it. */
async function removeDemoServer(): Promise<void> {
  const { section, demoServer } = settings;
  if (vscode.workspace.getConfiguration(section).get(demoServer) === true) {
    await setDemoServer(undefined);
    return;
  }
  notify('information', l10n.t('The demo server is not listed.'), {
    title: l10n.t('Add Demo Server'),
    command: commands.addDemoServer,
  });
}

async function setDemoServer(value: true | undefined): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(settings.section);
  await configuration.update(settings.demoServer, value, vscode.ConfigurationTarget.Global);
}

/** Id of the demo server. A configured server of the same name wins. */
const demoServerId = 'demo';

/**
 * Returns the configuration of the bundled demo server. It runs with the program that runs the
 * extension.
 */
export function demoServerConfig(extensionUri: vscode.Uri): ServerConfig {
  return {
    id: demoServerId,
    label: l10n.t('Demo'),
    source: { kind: 'demo' },
    transport: {
      kind: 'stdio',
      command: process.execPath,
      args: [vscode.Uri.joinPath(extensionUri, 'dist', 'demoServer.js').fsPath],
      // On the desktop the program is Electron; this variable makes it behave like Node.
      env: { ELECTRON_RUN_AS_NODE: '1' },
    },
  };
}
