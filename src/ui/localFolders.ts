import { workspace, type WorkspaceFolder } from 'vscode';

/** Returns the workspace folders on a disk of this machine. */
export function localFolders(): readonly WorkspaceFolder[] {
  return (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}

export function localFolderPaths(): readonly string[] {
  return localFolders().map(({ uri }) => uri.fsPath);
}
