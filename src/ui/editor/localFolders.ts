import { workspace, type WorkspaceFolder, type Event } from 'vscode';
import path from 'node:path';
import type { InputHandler, Root } from '../../core/input/inputHandler';
import { folderLabel } from '../format/folderLabel';
import type { SettingsReader } from '../settings/settings';

/** Returns the workspace folders on a disk of this machine. */
export function localFolders(): readonly WorkspaceFolder[] {
  return (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}

export function localFolderPaths(): readonly string[] {
  return localFolders().map(({ uri }) => uri.fsPath);
}

/** Returns the name of the workspace folder at a path, told apart from others of the same name. */
export function labelOfFolder(folderPath: string): string {
  const folders = localFolders().map(({ uri, name }) => ({ name, path: uri.fsPath }));
  const folder = folders.find((each) => each.path === folderPath);
  return folder === undefined ? path.basename(folderPath) : folderLabel(folder, folders);
}

/**
 * Returns `handler` extended by the workspace roots if the user has allowed them in the settings.
 * Only local folders of a trusted workspace are sent. The setting is read
 * when a server starts.
 */
export function withWorkspaceRoots(handler: InputHandler, settings: SettingsReader): InputHandler {
  if (!sharesRoots(settings)) return handler;
  return { ...handler, roots: () => Promise.resolve(workspaceRoots()), onDidChangeRoots };
}

/** True if servers that ask for their roots are told the workspace folders. */
export function sharesRoots({ current }: Pick<SettingsReader, 'current'>): boolean {
  return current.sharesWorkspaceFolders && workspace.isTrusted;
}

function workspaceRoots(): readonly Root[] {
  return localFolders().map(({ uri, name }) => ({ uri: uri.toString(), name }));
}

const onDidChangeRoots: Event<void> = (listener) =>
  workspace.onDidChangeWorkspaceFolders(() => listener());
