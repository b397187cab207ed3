import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { visibleText, escapeIcons } from '../../core/visibleText';
import { hasServer } from '../../host/adding/configurationAdditions';
import { copilotFile } from '../../host/configuration/configurationFormats';
import { commands } from '../../ids';
import { configurationTextOf, writeAddition } from '../adding/writeAddition';
import type { WritePreviews } from '../adding/writePreviews';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { shortPath } from '../format/windowFacts';
import { localFolderPaths } from '../editor/localFolders';
import path from 'node:path';

const maxTextChars = 200;

export interface AgentConfigurationCommandOptions extends Pick<MachinePlaces, 'userHome'> {
  /** Path of the bridge. */
  readonly gateway: string;
  readonly previews: Pick<WritePreviews, 'ask'>;
  /** Asks to allow agents if they are not allowed. Resolves with true if they are allowed then. */
  readonly turnOn: () => Promise<boolean>;
}

/**
 * Copy Agent Configuration…: creates the entry with which an agent starts the bridge. It is written
 * into the agent's own file after a preview if we know that file, or else copied.
 */
export async function copyAgentConfiguration(
  options: AgentConfigurationCommandOptions,
): Promise<void> {
  const { gateway, userHome, turnOn } = options;
  const configuration = await askAgent(
    agentConfigurations(gateway, { folders: localFolderPaths(), userHome }),
  );
  if (configuration === undefined) return;
  const way = await askWay(configuration, userHome);
  if (way === undefined || !(await turnOn())) return;
  if (way === 'copy') await copy(configuration);
  else await write(configuration, way, options);
}

async function askAgent(
  all: readonly AgentConfiguration[],
): Promise<AgentConfiguration | undefined> {
  const items = all.map((configuration) => ({
    label: configuration.label,
    description: configuration.place,
    detail: shown(configuration),
    configuration,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: l10n.t('Copy Agent Configuration'),
    placeHolder: l10n.t('Choose the agent'),
  });
  return chosen?.configuration;
}

/**
 * Asks whether to write into a file or to copy the entry. Does not ask if there is no known file.
 */
async function askWay(
  configuration: AgentConfiguration,
  userHome: string,
): Promise<AgentFile | 'copy' | undefined> {
  if (configuration.files.length === 0) return 'copy';
  const files = configuration.files.map((file) => ({
    label: l10n.t('Write to {0}…', escapeIcons(nameOf(file, userHome))),
    iconPath: new vscode.ThemeIcon('diff'),
    detail: l10n.t('You see the change before it is written'),
    way: file,
  }));
  const copying = {
    label: l10n.t('Copy Entry'),
    iconPath: new vscode.ThemeIcon('copy'),
    detail: shown(configuration),
    way: 'copy' as const,
  };
  const chosen = await vscode.window.showQuickPick([...files, copying], {
    title: l10n.t('Configuration for {0}', configuration.label),
    placeHolder: l10n.t('Choose what to do with the entry that starts the bridge'),
  });
  return chosen?.way;
}

async function copy({ label, place, text }: AgentConfiguration): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  notify(
    'information',
    l10n.t('The configuration for {0} was copied. Add it to {1}.', label, place),
    exposeAction(),
  );
}

async function write(
  { label, server }: AgentConfiguration,
  agentFile: AgentFile,
  { previews, userHome }: AgentConfigurationCommandOptions,
): Promise<void> {
  const uri = vscode.Uri.file(agentFile.path);
  const file = { uri, name: nameOf(agentFile, userHome), format: 'mcpServers' } as const;
  const where = quoted(file.name);
  if (hasServer((await configurationTextOf(uri)) ?? '', server, file.format)) {
    const sentence = l10n.t('{0} already has this entry for {1}.', where, label);
    notify('information', sentence, exposeAction());
    return;
  }
  const notes = agentFile.isShared
    ? [l10n.t('The entry contains a path on this machine, so it does not work for others.')]
    : [];
  const addition = { servers: [server], inputs: [] };
  if ((await writeAddition({ file, addition, notes }, previews)) !== 'saved') return;
  notify(
    'information',
    l10n.t('{0} now has the entry for {1}. Restart the agent.', where, label),
    exposeAction(),
  );
}

function exposeAction() {
  return { title: l10n.t('Expose to Agents…'), command: commands.exposeToAgents };
}

function shown({ text }: AgentConfiguration): string {
  return visibleText(text.replaceAll(/\s+/g, ' '), maxTextChars);
}

function nameOf({ path: file }: AgentFile, userHome: string): string {
  return visibleText(shortPath(file, userHome), maxTextChars);
}

/** The configuration of one kind of agent. */
interface AgentConfiguration {
  readonly label: string;
  /** The place where the user adds the configuration. */
  readonly place: string;
  readonly text: string;
  /** Files of the agent whose "mcpServers" can get the entry. */
  readonly files: readonly AgentFile[];
  readonly server: AgentServerEntry;
}

interface AgentFile {
  readonly path: string;
  /** True if the file is part of the project and so shared with its other users. */
  readonly isShared: boolean;
}

/** An entry of "mcpServers". */
interface AgentServerEntry {
  readonly name: string;
  readonly entry: object;
}

/** The user's directories on this machine. */
interface MachinePlaces {
  /** Paths of the open folders. */
  readonly folders: readonly string[];
  readonly userHome: string;
}

const serverName = 'toolgate';

/** Returns the entries with which agents start the bridge in the file `gateway`. */
function agentConfigurations(
  gateway: string,
  { folders, userHome }: MachinePlaces,
): readonly AgentConfiguration[] {
  const entry = { command: 'node', args: [gateway] };
  const inFolders = (...parts: string[]): AgentFile[] =>
    folders.map((folder) => ({ path: path.join(folder, ...parts), isShared: true }));
  const ofCopilot = { type: 'local', ...entry, tools: ['*'] };
  const [claude, another] = [
    l10n.t('.mcp.json in the folder of the agent'),
    l10n.t('the file with its "mcpServers"'),
  ];
  return [
    toConfiguration('Claude Code', claude, { type: 'stdio', ...entry }, inFolders('.mcp.json')),
    { ...toConfiguration('Codex', '~/.codex/config.toml', entry), text: toToml(gateway) },
    toConfiguration('Copilot CLI', '~/.copilot/mcp-config.json', ofCopilot, [
      { path: copilotFile(userHome), isShared: false },
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
