import * as vscode from 'vscode';

/** Whether a tab of any kind (text, picture, sound, comparison) shows a file in this folder. */
export function isFolderOpen(scheme: string, folder: string): boolean {
  return openUris().some((uri) => uri.scheme === scheme && uri.path.startsWith(`${folder}/`));
}

function openUris(): vscode.Uri[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.flatMap(urisOf));
}

function urisOf({ input }: vscode.Tab): vscode.Uri[] {
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom) {
    return [input.uri];
  }
  if (input instanceof vscode.TabInputNotebook) return [input.uri];
  return input instanceof vscode.TabInputTextDiff ? [input.original, input.modified] : [];
}
