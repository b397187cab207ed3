import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ServerRegistry } from '../../host/connections/registry';
import { commands, settings, views } from '../../ids';
import type { ConfigurationWatcher } from './configurationWatcher';
import { demoServerId } from './demoServer';
import { tell } from '../editor/messages';
import type { ServerActions } from '../servers/serverActions';

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
  tell(
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
  tell('information', l10n.t('The demo server is not listed.'), {
    title: l10n.t('Add Demo Server'),
    command: commands.addDemoServer,
  });
}

async function setDemoServer(value: true | undefined): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(settings.section);
  await configuration.update(settings.demoServer, value, vscode.ConfigurationTarget.Global);
}
