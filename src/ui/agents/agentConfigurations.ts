import { l10n } from 'vscode';

/** What has to stand where, for one kind of agent. */
export interface AgentConfiguration {
  readonly label: string;
  /** Where it belongs. */
  readonly place: string;
  readonly text: string;
}

const serverName = 'toolgate';

/** The entries by which agents start the bridge, which lies in the file `gateway`. */
export function agentConfigurations(gateway: string): readonly AgentConfiguration[] {
  const entry = { command: 'node', args: [gateway] };
  const mcpServers = json({ mcpServers: { [serverName]: entry } });
  const toml = [
    `[mcp_servers.${serverName}]`,
    'command = "node"',
    `args = [${quotedToml(gateway)}]`,
  ];
  return [
    {
      label: 'Claude Code',
      place: l10n.t('.mcp.json of the folder that the agent works in'),
      text: json({ mcpServers: { [serverName]: { type: 'stdio', ...entry } } }),
    },
    { label: 'Codex', place: '~/.codex/config.toml', text: `${toml.join('\n')}\n` },
    { label: 'Cursor', place: '.cursor/mcp.json', text: mcpServers },
    {
      label: l10n.t('Another Agent'),
      place: l10n.t('wherever it keeps its "mcpServers"'),
      text: mcpServers,
    },
  ];
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A basic string of TOML takes the escapes of JSON. */
function quotedToml(text: string): string {
  return JSON.stringify(text);
}
