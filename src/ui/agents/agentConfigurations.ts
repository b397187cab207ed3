import path from 'node:path';
import { l10n } from 'vscode';

/** What has to stand where, for one kind of agent. */
export interface AgentConfiguration {
  readonly label: string;
  /** Where it belongs. */
  readonly place: string;
  readonly text: string;
  /** Files of the agent whose "mcpServers" the entry can be written into. */
  readonly files: readonly AgentFile[];
  readonly server: AgentServerEntry;
}

export interface AgentFile {
  readonly path: string;
  /** Whoever has the project gets it, too. */
  readonly isShared: boolean;
}

/** An entry of "mcpServers". */
export interface AgentServerEntry {
  readonly name: string;
  readonly entry: object;
}

/** Where this machine has what is the person's. */
export interface AgentPlaces {
  /** Paths of the open folders. */
  readonly folders: readonly string[];
  readonly userHome: string;
}

const serverName = 'toolgate';

/** The entries by which agents start the bridge, which lies in the file `gateway`. */
export function agentConfigurations(
  gateway: string,
  { folders, userHome }: AgentPlaces,
): readonly AgentConfiguration[] {
  const entry = { command: 'node', args: [gateway] };
  const inFolders = (...parts: string[]): AgentFile[] =>
    folders.map((folder) => ({ path: path.join(folder, ...parts), isShared: true }));
  const toml = [
    `[mcp_servers.${serverName}]`,
    'command = "node"',
    `args = [${quotedToml(gateway)}]`,
  ];
  const copilotFile = path.join(userHome, '.copilot', 'mcp-config.json');
  return [
    {
      label: 'Claude Code',
      place: l10n.t('.mcp.json of the folder that the agent works in'),
      files: inFolders('.mcp.json'),
      ...written({ type: 'stdio', ...entry }),
    },
    {
      label: 'Codex',
      place: '~/.codex/config.toml',
      files: [],
      ...written(entry),
      text: `${toml.join('\n')}\n`,
    },
    {
      label: 'Copilot CLI',
      place: '~/.copilot/mcp-config.json',
      files: [{ path: copilotFile, isShared: false }],
      ...written({ type: 'local', ...entry, tools: ['*'] }),
    },
    {
      label: 'Cursor',
      place: '.cursor/mcp.json',
      files: inFolders('.cursor', 'mcp.json'),
      ...written(entry),
    },
    {
      label: 'Gemini CLI',
      place: '.gemini/settings.json',
      files: inFolders('.gemini', 'settings.json'),
      ...written(entry),
    },
    {
      label: l10n.t('Another Agent'),
      place: l10n.t('wherever it keeps its "mcpServers"'),
      files: [],
      ...written(entry),
    },
  ];
}

function written(entry: object): Pick<AgentConfiguration, 'server' | 'text'> {
  const text = `${JSON.stringify({ mcpServers: { [serverName]: entry } }, null, 2)}\n`;
  return { server: { name: serverName, entry }, text };
}

/** A basic string of TOML takes the escapes of JSON. */
function quotedToml(text: string): string {
  return JSON.stringify(text);
}
