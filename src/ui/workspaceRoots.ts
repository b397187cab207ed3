import { workspace } from 'vscode';
import type { Event } from 'vscode';
import type { InputHandler, Root } from '../core/input/inputHandler';
import { localFolders } from './localFolders';
import type { SettingsReader } from './settings/settings';

/**
 * `handler`, which also tells the server the folders of this workspace if the person allowed that
 * in the settings: local folders of a trusted workspace only. Asked for at
 * the start of a server; a changed setting counts from the next start on.
 */
export function withWorkspaceRoots(handler: InputHandler, settings: SettingsReader): InputHandler {
  if (!settings.current.sharesWorkspaceFolders || !workspace.isTrusted) return handler;
  return { ...handler, roots: () => Promise.resolve(workspaceRoots()), onDidChangeRoots };
}

function workspaceRoots(): readonly Root[] {
  return localFolders().map(({ uri, name }) => ({ uri: uri.toString(), name }));
}

const onDidChangeRoots: Event<void> = (listener) =>
  workspace.onDidChangeWorkspaceFolders(() => listener());
