import { workspace, type WorkspaceFolder } from 'vscode';

/** The folders of the workspace that are on a disk of this machine. */
export function localFolders(): readonly WorkspaceFolder[] {
  return (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}

/** Their paths. */
export function localFolderPaths(): readonly string[] {
  return localFolders().map(({ uri }) => uri.fsPath);
}
