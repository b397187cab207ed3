import path from 'node:path';
import { parseTree } from 'jsonc-parser';
import { jsoncValue } from '../../core/json/parseJson';
import { isObject } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';
import type { ServerDraft } from './draft';
import { draftsFromJson, isTooLargeForDrafts } from './jsonDrafts';

/** A configuration file of another client. */
export interface ClientFile {
  /** Product name of the client. */
  readonly client: string;
  readonly path: string;
}

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Paths of the open folders. */
  readonly folders: readonly string[];
}

/** Returns the files that may exist, in the order in which they are shown. Reads nothing. */
export function clientFiles(machine: Machine): readonly ClientFile[] {
  const { userHome, folders, platform } = machine;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const join = (...parts: string[]) => paths.join(...parts);
  const home = (...parts: string[]) => join(userHome, ...parts);
  const data = (...parts: string[]) => join(applicationData(machine), ...parts);
  const inFolders = (...parts: string[]) => folders.map((folder) => join(folder, ...parts));
  const editors = ['Code', 'Code - Insiders', 'VSCodium'];
  const clineSettings = [
    'User',
    'globalStorage',
    'saoudrizwan.claude-dev',
    'settings',
    'cline_mcp_settings.json',
  ];
  const config = machine.env['XDG_CONFIG_HOME'] ?? home('.config');
  const all: readonly (readonly [string, readonly string[]])[] = [
    ['Claude Desktop', [data('Claude', 'claude_desktop_config.json')]],
    ['Claude Code', [home('.claude.json'), ...inFolders('.mcp.json')]],
    ['Cursor', [home('.cursor', 'mcp.json'), ...inFolders('.cursor', 'mcp.json')]],
    ['Windsurf', [home('.codeium', 'windsurf', 'mcp_config.json')]],
    ['VS Code', editors.map((editor) => data(editor, 'User', 'mcp.json'))],
    ['Cline', [...editors, 'Cursor'].map((editor) => data(editor, ...clineSettings))],
    ['Copilot', [home('.copilot', 'mcp-config.json'), ...inFolders('.github', 'mcp.json')]],
    ['Continue', [home('.continue', 'config.json')]],
    [
      'Zed',
      platform === 'win32'
        ? [data('Zed', 'settings.json')]
        : [join(config, 'zed', 'settings.json')],
    ],
    ['Gemini CLI', [home('.gemini', 'settings.json'), ...inFolders('.gemini', 'settings.json')]],
  ];
  return all.flatMap(([client, files]) => files.map((each) => ({ client, path: each })));
}

/** Returns the servers in a client's file, including those that it lists for the open folders. */
export function draftsFromClientFile(
  text: string,
  folders: readonly string[],
  platform: NodeJS.Platform = process.platform,
): readonly ServerDraft[] {
  return [...draftsFromJson(text), ...projectDrafts(text, folders, platform)];
}

/** Claude Code stores the servers of a folder under the path of that folder. */
function projectDrafts(
  text: string,
  folders: readonly string[],
  platform: NodeJS.Platform,
): readonly ServerDraft[] {
  if (!text.includes('"projects"') || isTooLargeForDrafts(text)) return [];
  const tree = parseTree(text);
  const root = tree && jsoncValue(tree, text);
  const projects = isObject(root) ? root['projects'] : undefined;
  if (!isObject(projects)) return [];
  // On Windows the editor writes `c:\`, and Claude Code `C:/` or `C:\`.
  const comparable = (folder: string): string =>
    platform === 'win32' ? folder.replaceAll('/', '\\').toLowerCase() : folder;
  const open = new Set(folders.map(comparable));
  return Object.entries(projects).flatMap(([folder, project]) => {
    if (!open.has(comparable(folder))) return [];
    const servers = isObject(project) ? project['mcpServers'] : undefined;
    return servers === undefined ? [] : draftsFromJson(stringifyExactly({ mcpServers: servers }));
  });
}

function applicationData({ platform, userHome, env }: Machine): string {
  if (platform === 'win32')
    return env['APPDATA'] ?? path.win32.join(userHome, 'AppData', 'Roaming');
  if (platform === 'darwin') return path.posix.join(userHome, 'Library', 'Application Support');
  return env['XDG_CONFIG_HOME'] ?? path.posix.join(userHome, '.config');
}
