import * as vscode from 'vscode';
import { settings } from '../../ids';
import { addServerEdits, findEntry, firstSyntaxError, type TextRange } from './serverEntries';

/** The file of a workspace folder that may configure servers; it need not exist. */
export interface ConfigurationFile {
  readonly folder: vscode.WorkspaceFolder;
  readonly uri: vscode.Uri;
}

/** Where it stands in its folder. */
export const configurationFilePath = '.vscode/mcp.json';

/** Servers are programs of this computer, so only folders of this computer can configure them. */
export function configurationFiles(): readonly ConfigurationFile[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map((folder) => ({ folder, uri: vscode.Uri.joinPath(folder.uri, configurationFilePath) }));
}

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
  const text = document.getText();
  const place = findEntry(text, path) ?? firstSyntaxError(text);
  await vscode.window.showTextDocument(
    document,
    place === undefined ? {} : { selection: toSelection(document, place) },
  );
}

/**
 * Adds a server to the file and saves it, unless the person has unsaved changes there: those are
 * theirs to save. Comments and formatting stay.
 */
export async function addServerToFile(
  uri: vscode.Uri,
  name: string,
  entry: object,
): Promise<'saved' | 'unsaved' | 'impossible'> {
  const document = await vscode.workspace.openTextDocument(uri);
  const wasDirty = document.isDirty;
  const edits = addServerEdits(document.getText(), name, entry);
  if (edits === undefined) return 'impossible';
  const edit = new vscode.WorkspaceEdit();
  for (const { text, ...range } of edits) edit.replace(uri, toSelection(document, range), text);
  const isDone = await vscode.workspace.applyEdit(edit);
  if (!isDone) return 'impossible';
  if (wasDirty) return 'unsaved';
  return (await document.save()) ? 'saved' : 'unsaved';
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
