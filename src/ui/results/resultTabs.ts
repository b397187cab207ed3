import * as vscode from 'vscode';
import type { FilePart } from '../../core/content/contentParts';

/** Whether a tab of any kind (text, picture, sound, comparison) shows a file in this folder. */
export function isFolderOpen(scheme: string, folder: string): boolean {
  return openUris().some((uri) => uri.scheme === scheme && uri.path.startsWith(`${folder}/`));
}

/** What the tab shows that the person looks at, a picture or sound too. */
export function activeUri(): vscode.Uri | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab && urisOf(tab)[0];
}

/** The folders of results and resources in which these tabs showed a file. */
export function foldersOf(tabs: readonly vscode.Tab[], scheme: string): readonly string[] {
  const uris = tabs.flatMap(urisOf).filter((uri) => uri.scheme === scheme);
  return uris.map(({ path }) => path.split('/').slice(0, 4).join('/'));
}

/**
 * Text opens as its source whatever the person has associated with it, because a preview would
 * render what a server sent; the rest in the picture viewer, player or editor that fits its name.
 */
export async function openInTab(
  uri: vscode.Uri,
  part: FilePart | undefined,
  viewColumn = vscode.ViewColumn.Active,
): Promise<void> {
  const options: vscode.TextDocumentShowOptions = { preview: true, viewColumn };
  const isText = part === undefined || part.excerpt !== undefined;
  await (isText
    ? vscode.commands.executeCommand('vscode.openWith', uri, 'default', options)
    : vscode.commands.executeCommand('vscode.open', uri, options));
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
