import * as vscode from 'vscode';
import { settings } from '../../ids';
import type { TextRange } from '../editor/textPlaces';
import { ServerEntries } from './serverEntries';

export async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    // Whatever the reason, opening it will say it.
    return false;
  }
}

/** Makes the file with `text`, unless there is one: that one stays as it is. */
export async function createFile(uri: vscode.Uri, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const contents = new TextEncoder().encode(text);
  edit.createFile(uri, { overwrite: false, ignoreIfExists: true, contents });
  await vscode.workspace.applyEdit(edit);
}

/** Opens the file at the entry with this path, or else at the first thing wrong in it. */
export async function openConfigurationFile(
  uri: vscode.Uri,
  path: readonly (string | number)[] = [],
): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const entries = new ServerEntries(document.getText());
  const place = entries.entry(path) ?? entries.error;
  await vscode.window.showTextDocument(
    document,
    place === undefined ? {} : { selection: toSelection(document, place) },
  );
}

/**
 * Opens the settings file at one of our settings. On a remote machine that is its own file,
 * because the scope of ours is the machine that runs the servers.
 */
export async function openSetting(name: string): Promise<void> {
  const command =
    vscode.env.remoteName === undefined
      ? 'workbench.action.openSettingsJson'
      : 'workbench.action.openRemoteSettingsFile';
  const key = `${settings.section}.${name}`;
  await vscode.commands.executeCommand(command, { revealSetting: { key, edit: true } });
}

function toSelection(
  document: vscode.TextDocument,
  { offset, length }: TextRange,
): vscode.Selection {
  return new vscode.Selection(document.positionAt(offset), document.positionAt(offset + length));
}
