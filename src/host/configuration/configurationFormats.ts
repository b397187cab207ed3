import path from 'node:path';
import type { ConfigSource } from './serverConfig';

/** Its servers stand at the top of a workspace folder in this file, in the `mcpServers` format. */
export const sharedFileName = '.mcp.json';

/**
 * How a configuration is written: as VS Code writes it (also the setting, without what stands
 * around its servers), or under `mcpServers` as most other clients do.
 */
export type ConfigFormat = 'vscode' | 'mcpServers';

export function formatOf(source: ConfigSource): ConfigFormat {
  if ('format' in source && source.format !== undefined) return source.format;
  const isShared = 'path' in source && path.basename(source.path) === sharedFileName;
  return isShared ? 'mcpServers' : 'vscode';
}

/** Where the entry of a server stands in its file; in the setting, below the setting. */
export function entryPath(source: ConfigSource, serverId: string): readonly string[] {
  return 'path' in source ? [serversKey(formatOf(source)), serverId] : [serverId];
}

/** The name of the object that holds the servers. */
export function serversKey(format: ConfigFormat): 'servers' | 'mcpServers' {
  return format === 'vscode' ? 'servers' : 'mcpServers';
}
