import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { copilotFile, workspaceFiles } from '../../host/configuration/configurationFormats';
import type { ConfigSource } from '../../host/configuration/serverConfig';
import { localFolders } from './localFolders';

export type FileSource = Extract<ConfigSource, { readonly path: string }>;

/** A file that may configure servers. It need not exist. */
export interface SourceFile {
  readonly source: FileSource;
  /** Absent if the file belongs to no workspace folder. */
  readonly folder?: vscode.WorkspaceFolder;
}

/**
 * Returns every configuration file in the order of precedence. Servers are programs of this
 * computer, so only local folders can configure them.
 */
export function sourceFiles(userFiles: readonly string[]): readonly SourceFile[] {
  return [
    ...localFolders().flatMap((folder) =>
      workspaceFiles(folder.uri.fsPath).map((source): SourceFile => ({ source, folder })),
    ),
    ...userFiles.map((file) => ({ source: { kind: 'userFile', path: file } }) as const),
  ];
}

/**
 * Returns the paths of the user's own files on the machine that runs the servers, in order of
 * precedence: `mcp.json` beside the user settings, which are beside the global storage folder, and
 * the file of Copilot. The first is the file of the default profile, because VS Code does not tell
 * extensions which profile is active.
 */
export function userConfigurationFiles({
  globalStorageUri,
}: Pick<vscode.ExtensionContext, 'globalStorageUri'>): readonly string[] {
  if (globalStorageUri.scheme !== 'file') return [];
  return [path.resolve(globalStorageUri.fsPath, '..', '..', 'mcp.json'), copilotFile(homedir())];
}

/**
 * True if the document contains user settings, including those of a profile or a remote machine.
 */
export function isUserSettings(uri: vscode.Uri): boolean {
  if (!uri.path.endsWith('/settings.json')) return false;
  // In a browser and for profiles the file is elsewhere than on the desktop, but its path ends in
  // the same way.
  const isUsers =
    uri.scheme === 'vscode-userdata' ||
    /\/(?:User(?:\/profiles\/[^/]+)?|Machine)\/settings\.json$/.test(uri.path);
  return isUsers && vscode.workspace.getWorkspaceFolder(uri) === undefined;
}

/**
 * True if it contains the settings of a remote machine, which exclude the user's local settings.
 */
export function isMachineSettings(uri: vscode.Uri): boolean {
  return isUserSettings(uri) && uri.path.endsWith('/Machine/settings.json');
}
