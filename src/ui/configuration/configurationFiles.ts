import * as vscode from 'vscode';
import { settings } from '../../ids';
import type { TextRange } from '../../host/configuration/jsonTree';
import { ServerEntries } from '../../host/configuration/serverEntries';
import { isUserSettings } from './userSettingsFile';

/** Longer than a busy window takes to show a file; a dialog of VS Code may stand in the way. */
const maxEditorMs = 5_000;

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

/** Opens the file at the entry with this path, or else at the first thing wrong in it, and hands it over. */
export async function openConfigurationFile(
  uri: vscode.Uri,
  path: readonly (string | number)[] = [],
): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  const entries = new ServerEntries(document.getText());
  const place = entries.entry(path) ?? entries.error;
  await vscode.window.showTextDocument(
    document,
    place === undefined ? {} : { selection: toSelection(document, place) },
  );
  return document;
}

/**
 * Opens the settings file at one of our settings. On a remote machine that is its own file,
 * because the scope of ours is the machine that runs the servers. With `edit` VS Code makes room for
 * what is to be typed, which changes the text.
 */
export async function openSetting(name: string, { edit = true } = {}): Promise<void> {
  const command =
    vscode.env.remoteName === undefined
      ? 'workbench.action.openSettingsJson'
      : 'workbench.action.openRemoteSettingsFile';
  const key = `${settings.section}.${name}`;
  await vscode.commands.executeCommand(command, { revealSetting: { key, edit } });
}

/** The same, with its document as it stands there; `undefined` where VS Code shows another editor. */
export async function openSettingText(name: string): Promise<vscode.TextDocument | undefined> {
  await openSetting(name, { edit: false });
  return editorInFront(({ document }) => isUserSettings(document.uri));
}

/** VS Code tells which editor is in front a moment after its command has ended. */
async function editorInFront(
  isWanted: (editor: vscode.TextEditor) => boolean,
): Promise<vscode.TextDocument | undefined> {
  const subscriptions: vscode.Disposable[] = [];
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<vscode.TextDocument | undefined>((resolve) => {
      const look = (editor: vscode.TextEditor | undefined): void => {
        if (editor !== undefined && isWanted(editor)) resolve(editor.document);
      };
      timer = setTimeout(() => resolve(undefined), maxEditorMs);
      subscriptions.push(vscode.window.onDidChangeActiveTextEditor(look));
      look(vscode.window.activeTextEditor);
    });
  } finally {
    clearTimeout(timer);
    for (const subscription of subscriptions) subscription.dispose();
  }
}

function toSelection(
  document: vscode.TextDocument,
  { offset, length }: TextRange,
): vscode.Selection {
  return new vscode.Selection(document.positionAt(offset), document.positionAt(offset + length));
}
