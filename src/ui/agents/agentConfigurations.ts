import * as l10n from '@vscode/l10n';
import path from 'node:path';

/** The configuration of one kind of agent. */
export interface AgentConfiguration {
  readonly label: string;
  /** Where it belongs. */
  readonly place: string;
  readonly text: string;
  /** Files of the agent whose "mcpServers" can get the entry. */
  readonly files: readonly AgentFile[];
  readonly server: AgentServerEntry;
}

export interface AgentFile {
  readonly path: string;
  /** True if the file is part of the project and so shared with its other users. */
  readonly isShared: boolean;
}

/** An entry of "mcpServers". */
export interface AgentServerEntry {
  readonly name: string;
  readonly entry: object;
}

/** The user's directories on this machine. */
export interface MachinePlaces {
  /** Paths of the open folders. */
  readonly folders: readonly string[];
  readonly userHome: string;
}

const serverName = 'toolgate';

/** Returns the entries with which agents start the bridge in the file `gateway`. */
export function agentConfigurations(
  gateway: string,
  { folders, userHome }: MachinePlaces,
): readonly AgentConfiguration[] {
  const entry = { command: 'node', args: [gateway] };
  const inFolders = (...parts: string[]): AgentFile[] =>
    folders.map((folder) => ({ path: path.join(folder, ...parts), isShared: true }));
  const copilotFile = path.join(userHome, '.copilot', 'mcp-config.json');
  const ofCopilot = { type: 'local', ...entry, tools: ['*'] };
  const [claude, another] = [
    l10n.t('.mcp.json in the folder of the agent'),
    l10n.t('the file with its "mcpServers"'),
  ];
  return [
    toConfiguration('Claude Code', claude, { type: 'stdio', ...entry }, inFolders('.mcp.json')),
    { ...toConfiguration('Codex', '~/.codex/config.toml', entry), text: toToml(gateway) },
    toConfiguration('Copilot CLI', '~/.copilot/mcp-config.json', ofCopilot, [
      { path: copilotFile, isShared: false },
    ]),
    toConfiguration('Cursor', '.cursor/mcp.json', entry, inFolders('.cursor', 'mcp.json')),
    toConfiguration(
      'Gemini CLI',
      '.gemini/settings.json',
      entry,
      inFolders('.gemini', 'settings.json'),
    ),
    toConfiguration(l10n.t('Another Agent'), another, entry),
  ];
}

function toConfiguration(
  label: string,
  place: string,
  entry: object,
  files: readonly AgentFile[] = [],
): AgentConfiguration {
  const text = `${JSON.stringify({ mcpServers: { [serverName]: entry } }, null, 2)}\n`;
  return { label, place, text, files, server: { name: serverName, entry } };
}

/** A basic string of TOML has the same escapes as JSON. */
function toToml(gateway: string): string {
  const args = JSON.stringify(gateway);
  return `[mcp_servers.${serverName}]\ncommand = "node"\nargs = [${args}]\n`;
}
