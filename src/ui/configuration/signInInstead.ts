import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { entryPath } from '../../host/configuration/configurationFormats';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import { internalCommands, settings } from '../../ids';
import { commandTarget } from '../editor/commandTarget';
import { tell } from '../editor/messages';
import { isOwnArgument } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import { removeMemberEdits } from './configurationEdits';
import { openConfigurationFile, openSettingText } from './configurationFiles';
import { editOf } from './fileEdits';
import { settingPath } from './settingDiagnostics';

/**
 * _Use Sign-In Instead_ removes the `Authorization` header from the entry of a server in the open
 * editor. It does not save, so the user sees the change and can undo it.
 */
export function registerSignInInstead(registry: Pick<ServerRegistry, 'find'>): vscode.Disposable {
  return vscode.commands.registerCommand(
    internalCommands.signInInstead,
    async (argument: unknown) => {
      // The command changes a file, so it accepts only the argument of our own quick fix.
      if (!isOwnArgument(argument)) return;
      const { serverId } = commandTarget(argument);
      const server = serverId === undefined ? undefined : registry.find(serverId);
      if (server !== undefined) await removeHeader(server.config);
    },
  );
}

/**
 * Opens the text that contains the entry of a server and returns its position. Returns `undefined`
 * if it no longer exists.
 */
export async function openEntry({ source, id }: Pick<ServerConfig, 'source' | 'id'>) {
  const ownPath = entryPath(source, id);
  const path = 'path' in source ? ownPath : [...settingPath, ...ownPath];
  const document =
    'path' in source
      ? await openConfigurationFile(vscode.Uri.file(source.path), ownPath)
      : await openSettingText(settings.servers);
  return { document, path };
}

async function removeHeader(config: ServerConfig): Promise<void> {
  const { label } = config;
  const { document, path } = await openEntry(config);
  if (document === undefined) return tellNotThere(label);
  const edits = removeMemberEdits(document.getText(), [...path, 'headers'], /^authorization$/i);
  const isDone = edits.length > 0 && (await vscode.workspace.applyEdit(editOf(document, edits)));
  if (!isDone) return tellNotThere(label);
  const sentence = l10n.t(
    'Removed “Authorization” of “{0}” from the file. Save the file and start the server to sign in.',
    quoted(label),
  );
  tell('information', sentence);
}

function tellNotThere(label: string): void {
  const sentence = l10n.t(
    '“Authorization” of “{0}” could not be removed: it is no longer in the file, or the file is read-only.',
    quoted(label),
  );
  tell('warning', sentence);
}
