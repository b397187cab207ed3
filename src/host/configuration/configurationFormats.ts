import path from 'node:path';
import type { ConfigSource } from './serverConfig';

/** Path of VS Code's own file in a workspace folder. */
const editorFileName = path.join('.vscode', 'mcp.json');
/** File in the root of a workspace folder, in the `mcpServers` format. */
export const sharedFileName = '.mcp.json';

/** File of Copilot in a workspace folder, in the same format. */
const repositoryFileName = path.join('.github', 'mcp.json');
const copilotFileName = 'mcp-config.json';

/** Returns the file that Copilot CLI and the agents of VS Code read for all workspaces. */
export function copilotFile(userHome: string): string {
  return path.join(userHome, '.copilot', copilotFileName);
}

/** True for {@link copilotFile}. */
export function isCopilotFile(source: ConfigSource): boolean {
  return source.kind === 'userFile' && path.basename(source.path) === copilotFileName;
}

/**
 * Format of a configuration: that of VS Code (also of the setting, without the object around its
 * servers), or `mcpServers` as in most other clients.
 */
export type ConfigFormat = 'vscode' | 'mcpServers';

export type WorkspaceFile = Extract<ConfigSource, { readonly kind: 'workspaceFile' }>;

/** Returns the files of a folder that configure servers, in order of precedence. */
export function workspaceFiles(folder: string): readonly WorkspaceFile[] {
  return [editorFileName, sharedFileName, repositoryFileName].map((name) => {
    return { kind: 'workspaceFile', path: path.join(folder, name), folder };
  });
}

/** Returns the format that the file uses; otherwise the one of its location. */
export function formatOf(source: ConfigSource): ConfigFormat {
  if ('format' in source && source.format !== undefined) return source.format;
  return expectedFormat(source) ?? 'vscode';
}

/**
 * Returns the format in which other programs read this location; `undefined` for a file that only
 * Toolgate reads.
 */
export function expectedFormat(source: ConfigSource): ConfigFormat | undefined {
  if (isCopilotFile(source)) return 'mcpServers';
  if (source.kind !== 'workspaceFile') return 'vscode';
  const isShared = path.basename(source.path) === sharedFileName;
  if (isShared || source.path.endsWith(path.sep + repositoryFileName)) return 'mcpServers';
  return source.path.endsWith(path.sep + editorFileName) ? 'vscode' : undefined;
}

/**
 * Returns `source` for the value at this path. Either key may occur in any file, and decides the
 * format.
 */
export function sourceAt(source: ConfigSource, [key]: readonly (string | number)[]): ConfigSource {
  if (!('path' in source) || source.kind === 'recording') return source;
  const format = key === 'servers' ? 'vscode' : key === 'mcpServers' ? 'mcpServers' : undefined;
  return format === undefined || format === formatOf(source) ? source : { ...source, format };
}

/** Returns the path of a server's entry in its file, or below the setting. */
export function entryPath(source: ConfigSource, serverId: string): readonly string[] {
  return 'path' in source ? [serversKey(formatOf(source)), serverId] : [serverId];
}

/** Returns the name of the object that contains the servers. */
export function serversKey(format: ConfigFormat): 'servers' | 'mcpServers' {
  return format === 'vscode' ? 'servers' : 'mcpServers';
}
