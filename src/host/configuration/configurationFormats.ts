import path from 'node:path';
import type { ConfigSource } from './serverConfig';

/** Where VS Code's own file stands in a workspace folder. */
const editorFileName = path.join('.vscode', 'mcp.json');
/** Its servers stand at the top of a workspace folder in this file, in the `mcpServers` format. */
export const sharedFileName = '.mcp.json';

/**
 * How a configuration is written: as VS Code writes it (also the setting, without what stands
 * around its servers), or under `mcpServers` as most other clients do.
 */
export type ConfigFormat = 'vscode' | 'mcpServers';

export type WorkspaceFile = Extract<ConfigSource, { readonly kind: 'workspaceFile' }>;

/** The files of a folder that configure servers, in the order in which they count. */
export function workspaceFiles(folder: string): readonly WorkspaceFile[] {
  return [editorFileName, sharedFileName].map((name) => {
    return { kind: 'workspaceFile', path: path.join(folder, name), folder };
  });
}

/** The format that is written there, where the file has it, and else that of its place. */
export function formatOf(source: ConfigSource): ConfigFormat {
  if ('format' in source && source.format !== undefined) return source.format;
  return expectedFormat(source) ?? 'vscode';
}

/** The format in which other programs read this place; nothing for a file that only we were given. */
export function expectedFormat(source: ConfigSource): ConfigFormat | undefined {
  if (source.kind !== 'workspaceFile') return 'vscode';
  if (path.basename(source.path) === sharedFileName) return 'mcpServers';
  return source.path.endsWith(path.sep + editorFileName) ? 'vscode' : undefined;
}

/** `source` for what stands at `at` in it: either key may be in any file, and says the format. */
export function sourceAt(source: ConfigSource, [key]: readonly (string | number)[]): ConfigSource {
  if (!('path' in source) || source.kind === 'recording') return source;
  const format = key === 'servers' ? 'vscode' : key === 'mcpServers' ? 'mcpServers' : undefined;
  return format === undefined || format === formatOf(source) ? source : { ...source, format };
}

/** Where the entry of a server stands in its file; in the setting, below the setting. */
export function entryPath(source: ConfigSource, serverId: string): readonly string[] {
  return 'path' in source ? [serversKey(formatOf(source)), serverId] : [serverId];
}

/** The name of the object that holds the servers. */
export function serversKey(format: ConfigFormat): 'servers' | 'mcpServers' {
  return format === 'vscode' ? 'servers' : 'mcpServers';
}
