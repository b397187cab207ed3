import path from 'node:path';
import type * as vscode from 'vscode';
import { workspaceFiles } from '../../host/configuration/configurationFormats';
import type { ConfigSource } from '../../host/configuration/serverConfig';
import { localFolders } from '../localFolders';

export type FileSource = Extract<ConfigSource, { readonly path: string }>;

/** A file that may configure servers; it need not exist. */
export interface SourceFile {
  readonly source: FileSource;
  /** Absent for a file that belongs to no workspace folder. */
  readonly folder?: vscode.WorkspaceFolder;
}

/**
 * Every file that servers are read from, in the order in which they count. Servers are programs of
 * this computer, so only folders of this computer can configure them.
 */
export function sourceFiles(userFile: string | undefined): readonly SourceFile[] {
  return [
    ...localFolders().flatMap((folder) =>
      workspaceFiles(folder.uri.fsPath).map((source): SourceFile => ({ source, folder })),
    ),
    ...(userFile === undefined ? [] : [{ source: { kind: 'userFile', path: userFile } } as const]),
  ];
}

/**
 * The user's `mcp.json` on the machine that runs the servers: it stands beside the user settings,
 * which are beside the folder of global storage. That of the default profile, because VS Code tells
 * no extension which other one is in use.
 */
export function userConfigurationFile({
  globalStorageUri,
}: Pick<vscode.ExtensionContext, 'globalStorageUri'>): string | undefined {
  if (globalStorageUri.scheme !== 'file') return undefined;
  return path.resolve(globalStorageUri.fsPath, '..', '..', 'mcp.json');
}
