import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import { visibleText, withoutIcons } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ConfigSource } from '../../host/configuration/serverConfig';
import { commands, settings } from '../../ids';
import { addServer } from './addServer';
import { commandTarget, targetProblem } from '../commandTarget';
import {
  configurationFilePath,
  configurationFiles,
  createFile,
  exists,
  openConfigurationFile,
  openSetting,
} from './configurationFiles';
import type { ConfigurationWatcher } from './configurationWatcher';
import { addDemoServer, removeDemoServer } from '../servers/demoServerCommands';
import type { ServerActions } from '../servers/serverActions';
import { sourceWords } from '../words/sentencesOfProblems';

export interface ConfigurationCommandParts {
  readonly registry: ServerRegistry;
  readonly actions: ServerActions;
  readonly watcher: ConfigurationWatcher;
}

/** Where servers come from: to open it, and to add to it. */
export function registerConfigurationCommands(parts: ConfigurationCommandParts): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register(commands.openServerConfiguration, (argument: unknown) =>
      openServerConfiguration(parts.registry, argument),
    ),
    register(commands.addServer, () => addServer(parts)),
    register(commands.addDemoServer, () => addDemoServer(parts)),
    register(commands.removeDemoServer, () => removeDemoServer()),
  );
}

/** At the place of the problem or the server that the row is about; without a row, by a picker. */
async function openServerConfiguration(registry: ServerRegistry, argument: unknown): Promise<void> {
  const problems = [
    ...registry.problems,
    ...registry.servers.flatMap(({ configProblems }) => configProblems),
  ];
  const problem = targetProblem(argument, problems);
  if (problem) return openSource(problem.source, problem.path);
  const { serverId } = commandTarget(argument);
  const server = serverId === undefined ? undefined : registry.find(serverId);
  if (server) return openSource(server.config.source, ['servers', server.config.id]);
  await (await pickSource())?.open();
}

async function openSource(source: ConfigSource, path: readonly (string | number)[]): Promise<void> {
  switch (source.kind) {
    case 'workspaceFile':
      return openConfigurationFile(vscode.Uri.file(source.path), path);
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

async function pickSource(): Promise<SourceItem | undefined> {
  const files = await Promise.all(
    configurationFiles().map(async ({ folder, uri }): Promise<SourceItem> => {
      const isThere = await exists(uri);
      return {
        label: configurationFilePath,
        description: withoutIcons(visibleText(folder.name, maxNameChars)),
        detail: isThere
          ? vscode.l10n.t('Servers of this workspace folder')
          : vscode.l10n.t('Does not exist yet; choose it to create it'),
        open: async () => {
          if (!isThere) await createFile(uri, newConfigurationFile());
          await openConfigurationFile(uri);
        },
      };
    }),
  );
  const setting: SourceItem = {
    label: sourceWords({ kind: 'setting' }),
    detail: vscode.l10n.t('Your servers in every workspace'),
    open: () => openSetting(settings.servers),
  };
  return vscode.window.showQuickPick([...files, setting], {
    title: vscode.l10n.t('Open Server Configuration'),
    placeHolder: vscode.l10n.t('Choose where servers are configured'),
  });
}

const maxNameChars = 200;

/** An example to take the comment signs away from. */
function newConfigurationFile(): string {
  const lines = [
    '{',
    `  // ${vscode.l10n.t('MCP servers of this workspace. Toolgate starts one only when you start it.')}`,
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
