import { realpath } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { localFolderPaths } from '../localFolders';

/** What the person looks at in the editor; of a diff both sides. */
function urisInFront(): readonly vscode.Uri[] {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputText) return [input.uri];
  return input instanceof vscode.TabInputTextDiff ? [input.original, input.modified] : [];
}

/** Whether the person has it in front: what a command does with it is about what is seen. */
export function isInFront(uri: vscode.Uri): boolean {
  const key = uri.toString();
  return urisInFront().some((one) => one.toString() === key);
}

/** Whether it is in front; what is not is brought there, to be looked at first. */
export async function isLookedAt(uri: vscode.Uri): Promise<boolean> {
  if (isInFront(uri)) return true;
  await vscode.window.showTextDocument(uri, { preview: false });
  return false;
}

/**
 * Whether it is a file that lies in a folder of the workspace, wherever links lead. Not what other
 * extensions or servers show as documents.
 */
export async function isWorkspaceFile({ scheme, fsPath }: vscode.Uri): Promise<boolean> {
  if (scheme !== 'file') return false;
  try {
    const file = await realpath(fsPath);
    const real = await Promise.all(localFolderPaths().map(realOf));
    return real.some((folder) => isBelow(folder, file));
  } catch {
    // It is not there, or may not be looked at.
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

function isBelow(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
}
