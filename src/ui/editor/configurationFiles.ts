import * as vscode from 'vscode';
import { settings } from '../../ids';
import { ServerEntries } from '../../host/configuration/serverEntries';
import { isUserSettings } from './configurationSources';
import { isSoWithin } from './isSoWithin';
import { rangeOf } from './textPlaces';

/** Longer than a busy window takes to show a file. A dialog of VS Code may delay it. */
const maxEditorMs = 5_000;

/** Returns false also for a file that cannot be accessed. */
export async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    // The reason is shown when the file is opened.
    return false;
  }
}

/** Creates the file with `text` unless it exists. */
export async function createFile(uri: vscode.Uri, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const contents = new TextEncoder().encode(text);
  edit.createFile(uri, { overwrite: false, ignoreIfExists: true, contents });
  await vscode.workspace.applyEdit(edit);
}

/** Opens the file at the entry with this path, or at its first problem, and returns the editor. */
export async function openConfigurationFile(
  uri: vscode.Uri,
  path: readonly (string | number)[] = [],
): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  const entries = new ServerEntries(document.getText());
  const place = entries.entry(path) ?? entries.error;
  await vscode.window.showTextDocument(
    document,
    place === undefined ? {} : { selection: rangeOf(document, place) },
  );
  return document;
}

/**
 * Opens the settings file at one of our settings. On a remote machine it is that machine's file,
 * because our settings belong to the machine that runs the servers. With `edit` VS Code inserts an
 * empty value, which changes the text.
 */
export async function openSetting(name: string, { edit = true } = {}): Promise<void> {
  const command =
    vscode.env.remoteName === undefined
      ? 'workbench.action.openSettingsJson'
      : 'workbench.action.openRemoteSettingsFile';
  const key = `${settings.section}.${name}`;
  await vscode.commands.executeCommand(command, { revealSetting: { key, edit } });
}

/**
 * Like openSetting(), but returns the document. Returns `undefined` if VS Code shows another
 * editor.
 */
export async function openSettingText(name: string): Promise<vscode.TextDocument | undefined> {
  await openSetting(name, { edit: false });
  return editorInFront(({ document }) => isUserSettings(document.uri));
}

/** VS Code reports the active editor a moment after its command has ended. */
async function editorInFront(
  isWanted: (editor: vscode.TextEditor) => boolean,
): Promise<vscode.TextDocument | undefined> {
  const isInFront = () => {
    const editor = vscode.window.activeTextEditor;
    return editor !== undefined && isWanted(editor);
  };
  const isShown = await isSoWithin(
    maxEditorMs,
    vscode.window.onDidChangeActiveTextEditor,
    isInFront,
  );
  return isShown ? vscode.window.activeTextEditor?.document : undefined;
}
