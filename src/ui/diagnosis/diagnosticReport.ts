import { release, homedir } from 'node:os';
import * as vscode from 'vscode';
import { visibleText } from '../../core/visibleText';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import type { Redact } from '../../host/secrets/redactSecrets';
import { settings } from '../../ids';
import { clientInfoOf } from '../clientInfo';
import { hideHomeFolder } from './homeFolder';
import type { SecretValues } from '../../host/secrets/secretValues';

/** Returns one short line that is safe to publish. */
type Show = (text: string) => string;

const maxServers = 100;
const maxValueChars = 300;

/** Returns the versions for an issue. The text is not translated, because maintainers read it. */
export function versionLines(context: Pick<vscode.ExtensionContext, 'extension'>): string[] {
  const { remoteName, appName, uiKind } = vscode.env;
  return [
    `Toolgate ${clientInfoOf(context).version}`,
    `${appName} ${vscode.version}, ${uiKind === vscode.UIKind.Web ? 'web' : 'desktop'}`,
    `Extension host: ${remoteName ?? 'local'}, ${process.platform} ${release()} ${process.arch}, Node ${process.versions.node}`,
    `Workspace: ${vscode.workspace.isTrusted ? 'trusted' : 'restricted'}, folders: ${vscode.workspace.workspaceFolders?.length ?? 0}`,
  ];
}

/**
 * Returns versions, settings that differ from their defaults, and each server with its state and
 * the end of its log, as Markdown. Values of variables and headers are left out. `redact` removes
 * private text before the texts are cut.
 */
export function diagnosticReport(
  context: Pick<vscode.ExtensionContext, 'extension'>,
  registry: Pick<ServerRegistry, 'servers'>,
  lastLines: (server: ServerConfig) => readonly string[],
  redact: Redact,
): string {
  const shown: Show = (text) => visibleText(redact(text), maxValueChars);
  const servers = registry.servers.slice(0, maxServers);
  return [
    '# Toolgate diagnostic report',
    bullets(versionLines(context)),
    '## Settings that differ from their defaults',
    bullets(changedSettings(shown)),
    `## Servers (${registry.servers.length})`,
    ...servers.map((server) => serverText(server, lastLines(server.config), shown)),
    '',
  ].join('\n\n');
}

/** Lists only the names of settings that may contain secrets or long values. */
function changedSettings(shown: Show): string[] {
  const { section, ...own } = settings;
  const configuration = vscode.workspace.getConfiguration(section);
  const hidden: readonly string[] = [own.servers, own.rules, own.environments];
  return Object.values(own).flatMap((name) => {
    const value: unknown = configuration.get(name);
    const byDefault = configuration.inspect(name)?.defaultValue;
    const [now, before] = [value, byDefault].map((each) => JSON.stringify(each) ?? '');
    if (now === before) return [];
    const text = hidden.includes(name) ? '(set)' : shown(now ?? '');
    return [`${section}.${name}: ${text}`];
  });
}

function serverText(
  { config, state, tools, restarts, garbageLines, configProblems }: Server,
  lines: readonly string[],
  shown: Show,
): string {
  const error =
    state.kind === 'failed' ? `, ${state.error.code}: ${shown(state.error.message)}` : '';
  const facts = [
    `Configured in: ${config.source.kind}`,
    reachText(config, shown),
    `State: ${state.kind}${error}`,
    ...(state.kind === 'running' ? [`Protocol ${state.revision}, ${tools.length} tools`] : []),
    ...(restarts === undefined
      ? []
      : [`Restarted ${restarts.attempts} of ${restarts.limit} times`]),
    ...(garbageLines === 0 ? [] : [`Lines on stdout that were no messages: ${garbageLines}`]),
    ...configProblems.map(({ code, detail }) => `Problem: ${code} ${shown(detail ?? '')}`),
  ];
  const log = lines.map((line) => `    ${shown(line)}`).join('\n');
  const name = shown(config.label);
  return [`### ${name}`, bullets(facts), ...(log === '' ? [] : [log])].join('\n\n');
}

/** Arguments may contain secrets that are not marked, so only their number is given. */
function reachText({ transport }: ServerConfig, shown: Show): string {
  if (transport.kind !== 'stdio') {
    const url = URL.canParse(transport.url) ? new URL(transport.url) : undefined;
    return `${transport.kind}: ${url?.protocol ?? ''}//${shown(url?.host ?? '?')}, headers: ${names(transport.headers, shown)}`;
  }
  return `stdio: ${shown(transport.command)}, ${transport.args.length} arguments, variables: ${names(transport.env, shown)}`;
}

function names(values: Readonly<Record<string, unknown>>, shown: Show): string {
  return Object.keys(values).map(shown).join(', ') || 'none';
}

function bullets(lines: readonly string[]): string {
  return lines.length === 0 ? '- none' : lines.map((line) => `- ${line}`).join('\n');
}

const home = homedir();

/**
 * Prepares `text` for an issue: removes known secrets and replaces the home folder by `~`, because
 * it often contains the user's name.
 */
export function withoutPersonalData(text: string, secrets: Pick<SecretValues, 'redact'>): string {
  return hideHomeFolder(secrets.redact(text), home, process.platform === 'win32');
}
