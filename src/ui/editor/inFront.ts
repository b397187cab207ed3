import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { isWithin } from '../../core/bounds/pathWithin';
import { localFolderPaths } from './localFolders';

/** Returns the URIs of the active editor, both sides of a diff. */
function urisInFront(): readonly vscode.Uri[] {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputText) return [input.uri];
  return input instanceof vscode.TabInputTextDiff ? [input.original, input.modified] : [];
}

/** True if the document is in front. A command may act only on what the user sees. */
export function isInFront(uri: vscode.Uri): boolean {
  const key = uri.toString();
  return urisInFront().some((one) => one.toString() === key);
}

/** True if the document is in front. Otherwise it is brought to the front first. */
export async function bringToFront(uri: vscode.Uri): Promise<boolean> {
  if (isInFront(uri)) return true;
  await vscode.window.showTextDocument(uri, { preview: false });
  return false;
}

/**
 * True if it is a file inside a workspace folder after links are resolved. Documents of other
 * extensions and servers are not.
 */
export async function isWorkspaceFile({ scheme, fsPath }: vscode.Uri): Promise<boolean> {
  if (scheme !== 'file') return false;
  try {
    const file = await realpath(fsPath);
    const real = await Promise.all(localFolderPaths().map(realOf));
    return real.some((folder) => isWithin(folder, file));
  } catch {
    // The file does not exist or cannot be read.
    return false;
  }
}

async function realOf(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch {
    return folder;
  }
}
