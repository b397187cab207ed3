import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import { formatOf, sourceAt } from '../../host/configuration/configurationFormats';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import { commands, views } from '../../ids';
import { registerCodeLenses } from '../editor/codeLenses';
import { markOwnArgument } from '../editor/ownArguments';
import { formatSource } from '../format/sentencesOfProblems';
import { manageTrustCommand } from '../format/startCommand';
import { formatServerState } from '../format/formatServerState';
import { escapeIcons } from '../../core/visibleText';
import type { ConfigSource } from '../../host/configuration/serverConfig';
import { sourceFiles, isUserSettings } from '../editor/configurationSources';
import { ServerEntries } from '../../host/configuration/serverEntries';
import { settingPath } from './settingDiagnostics';
/** Lenses are computed after each keystroke; a larger text is no server configuration. */
const maxCharacters = 1024 * 1024;

/** Files whose names may be configuration files. Their location decides whether they are. */
export const configurationSelector: readonly vscode.DocumentFilter[] = [
  { scheme: 'file', pattern: '**/mcp.json' },
  { scheme: 'file', pattern: '**/.mcp.json' },
  { scheme: 'file', pattern: '**/mcp-config.json' },
];

/** The position of servers in a document. */
interface Place {
  readonly path: readonly string[];
  /** True if a server of this source is the one in this document. */
  readonly isOwn: (source: ConfigSource) => boolean;
  /** True if VS Code shows lenses of its own here, with its own Start. */
  readonly hasOthers: boolean;
}

/** Shows the state of a server and its actions above its entry. */
export class ConfigurationLenses implements vscode.Disposable {
  readonly #registry: Pick<ServerRegistry, 'find' | 'onDidChange'>;
  readonly #userFiles: readonly string[];
  readonly #subscriptions: vscode.Disposable;

  constructor(
    registry: Pick<ServerRegistry, 'find' | 'onDidChange'>,
    userFiles: readonly string[],
  ) {
    this.#registry = registry;
    this.#userFiles = userFiles;
    const selector = [...configurationSelector, { pattern: '**/settings.json' }];
    const lenses = registerCodeLenses(selector, this);
    this.#subscriptions = vscode.Disposable.from(lenses, registry.onDidChange(lenses.refresh));
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const text = document.getText();
    if (text.length > maxCharacters) return [];
    const places = this.#placesOf(document.uri);
    if (places.length === 0) return [];
    const entries = new ServerEntries(text);
    return places.flatMap((place) => {
      const servers = entries.node(place.path);
      return (servers?.type === 'object' ? (servers.children ?? []) : []).flatMap((property) => {
        const [key] = property.children ?? [];
        const name: unknown = key?.value;
        if (key === undefined || typeof name !== 'string') return [];
        const at = document.positionAt(key.offset);
        return this.#lensesOf(name, place, new vscode.Range(at, at));
      });
    });
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #placesOf(uri: vscode.Uri): readonly Place[] {
    if (isUserSettings(uri)) {
      return [{ path: settingPath, isOwn: ({ kind }) => kind === 'setting', hasOthers: false }];
    }
    const path = uri.fsPath;
    const file = sourceFiles(this.#userFiles).find(({ source }) => source.path === path)?.source;
    if (file === undefined) return [];
    return ['servers', 'mcpServers'].map((key) => {
      const format = formatOf(sourceAt(file, [key]));
      return {
        path: [key],
        isOwn: (source) => 'path' in source && source.path === path && formatOf(source) === format,
        hasOthers: key === 'servers' && formatOf(file) === 'vscode' && runsServersItself(),
      };
    });
  }

  #lensesOf(id: string, { isOwn, hasOthers }: Place, range: vscode.Range): vscode.CodeLens[] {
    const server = this.#registry.find(id);
    // The entry is not saved yet, or cannot be read.
    if (server === undefined) return [];
    const lens = (title: string, command: string): vscode.CodeLens =>
      new vscode.CodeLens(range, {
        title,
        command,
        arguments: [markOwnArgument({ serverId: id })],
      });
    const { source } = server.config;
    if (!isOwn(source)) {
      const title = l10n.t(
        'Toolgate: ignored, overridden by {0}',
        escapeIcons(formatSource(source)),
      );
      return [lens(title, commands.openServerConfiguration)];
    }
    // The state comes first, and only it names Toolgate.
    const state = new vscode.CodeLens(range, {
      title: l10n.t('Toolgate: {0}', stateLine(server)),
      command: `${views.servers}.focus`,
    });
    if (hasOthers) return [state];
    return [state, ...actionsOf(server).map(([title, command]) => lens(title, command))];
  }
}

/** Two buttons of the same name that start two processes would confuse. */
function runsServersItself(): boolean {
  return vscode.workspace.getConfiguration('chat.mcp').get('access') !== 'none';
}

const stateIcons = {
  stopped: '',
  starting: '$(loading~spin) ',
  running: '$(check) ',
  failed: '$(error) ',
} as const;

function stateLine(server: Server): string {
  const icon = server.isDisabled === true ? '' : stateIcons[server.state.kind];
  return icon + formatServerState(server);
}

function actionsOf({ state, isDisabled, config }: Server): [string, string][] {
  const trust = manageTrustCommand();
  const start: [string, string] = vscode.workspace.isTrusted
    ? config.transport.kind === 'stdio'
      ? [l10n.t('Start'), commands.startServer]
      : [l10n.t('Connect'), commands.connectServer]
    : [trust.title, trust.command];
  const stop: [string, string] = [l10n.t('Stop'), commands.stopServer];
  const restart: [string, string] = [l10n.t('Restart'), commands.restartServer];
  const log: [string, string] = [l10n.t('Log'), commands.showServerLog];
  if (isDisabled === true) return [[l10n.t('Enable'), commands.enableServer], log];
  switch (state.kind) {
    case 'stopped':
      return [start, log];
    case 'starting':
      return [stop, log];
    case 'running':
      return [stop, restart, log];
    case 'failed':
      return [restart, log];
    default:
      return assertNever(state);
  }
}
