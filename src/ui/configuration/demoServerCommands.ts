import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ServerRegistry } from '../../host/connections/registry';
import { commands, settings, views } from '../../ids';
import type { ConfigurationWatcher } from './configurationWatcher';
import { notify } from '../editor/messages';
import type { ServerActions } from '../servers/serverActions';
import type { ServerConfig } from '../../host/configuration/serverConfig';

export interface DemoServerOptions {
  readonly registry: ServerRegistry;
  readonly actions: ServerActions;
  readonly watcher: ConfigurationWatcher;
}

/** Adds the demo server to the list, shows the list and starts it. */
export async function addDemoServer({
  registry,
  actions,
  watcher,
}: DemoServerOptions): Promise<void> {
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
export async function removeDemoServer(): Promise<void> {
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
