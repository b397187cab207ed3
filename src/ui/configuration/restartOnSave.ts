import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { smallestEdit, withMember } from '../../host/adding/configurationAdditions';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import { proposeWatchGlob } from '../../host/configuration/watchGlobs';
import type { ServerRegistry } from '../../host/connections/registry';
import { commands } from '../../ids';
import { removeMemberEdits, type TextEdit } from '../../host/adding/configurationEdits';
import { workspaceEditOf } from './fileEdits';
import { openEntry } from './signInInstead';
import { notify } from '../editor/messages';
import { confirmIfForeign } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import { watchFolderOf } from '../servers/devWatch';
import { namedServer } from '../servers/serverPicker';
import { saveDocument } from '../editor/savedDocument';

type Servers = Pick<ServerRegistry, 'find' | 'servers'>;

/**
 * _Restart on Save_ writes `dev.watch`, the files that restart the server, into its entry. _Stop
 * Restarting on Save_ removes it. The next start asks about the changed entry.
 */
export function registerRestartOnSave(registry: Servers): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register(commands.restartOnSave, (row: unknown) => setWatch(registry, row, true)),
    register(commands.stopRestartOnSave, (row: unknown) => setWatch(registry, row, false)),
  );
}

async function setWatch(registry: Servers, argument: unknown, isOn: boolean): Promise<void> {
  const server = await namedServer(argument, {
    registry,
    title: isOn ? l10n.t('Restart on Save') : l10n.t('Stop Restarting on Save'),
    fits: (each) => canWatch(each.config) && (each.config.watch === undefined) === isOn,
    none: [
      isOn
        ? l10n.t('No local server can restart when its files change.')
        : l10n.t('No server restarts when its files change.'),
    ],
  });
  if (server === undefined) return;
  const { config } = server;
  const label = quoted(config.label);
  const [question, yes] = isOn
    ? [l10n.t('Restart “{0}” when its files change?', label), l10n.t('Restart on Save')]
    : [l10n.t('Stop restarting “{0}” when its files change?', label), l10n.t('Stop Restarting')];
  if (!(await confirmIfForeign(argument, question, yes))) return;
  const glob =
    isOn && config.transport.kind === 'stdio' ? globOf(config, config.transport) : undefined;
  const outcome = await changeEntry(config, glob);
  if (outcome === 'failed') {
    notify('warning', l10n.t('The entry of “{0}” could not be changed.', label));
    return;
  }
  notifyChanged(config, glob, outcome === 'saved');
}

function notifyChanged(config: ServerConfig, glob: string | undefined, isSaved: boolean): void {
  const label = quoted(config.label);
  const sentence =
    glob === undefined
      ? l10n.t('“{0}” no longer restarts when its files change.', label)
      : l10n.t(
          '“{0}” restarts when “{1}” changes. The setting is “dev.watch” in its entry.',
          label,
          glob,
        );
  if (!isSaved) {
    notify(
      'information',
      l10n.t('{0} Save the file first because it has other changes.', sentence),
    );
    return;
  }
  notify('information', sentence, {
    title: l10n.t('Start Server'),
    command: commands.startServer,
    arguments: [config.id],
  });
}

/** True if it is a local server with an entry in a file or in the settings. */
export function canWatch({ transport, source }: ServerConfig): boolean {
  return (
    transport.kind === 'stdio' && ['workspaceFile', 'userFile', 'setting'].includes(source.kind)
  );
}

function globOf(
  config: ServerConfig,
  transport: Extract<ServerConfig['transport'], { kind: 'stdio' }>,
): string {
  return proposeWatchGlob(transport, watchFolderOf(config) ?? '');
}

/** Without `glob` the existing one is removed. */
async function changeEntry(
  config: ServerConfig,
  glob: string | undefined,
): Promise<'saved' | 'edited' | 'failed'> {
  const { document, path } = await openEntry(config);
  if (document === undefined) return 'failed';
  const wasDirty = document.isDirty;
  const edits = editsOf(document.getText(), path, glob);
  if (edits.length === 0) return 'failed';
  if (!(await vscode.workspace.applyEdit(workspaceEditOf(document, edits)))) return 'failed';
  // The user's unsaved edits are not saved with it.
  if (wasDirty) return 'edited';
  return (await saveDocument(document)) ? 'saved' : 'edited';
}

function editsOf(
  text: string,
  path: readonly string[],
  glob: string | undefined,
): readonly TextEdit[] {
  if (glob === undefined) return removeMemberEdits(text, [...path, 'dev'], /^watch$/);
  const after = withMember(text, path, { object: 'dev', name: 'watch', value: glob });
  return after === undefined ? [] : [smallestEdit(text, after)];
}
