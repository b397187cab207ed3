import * as l10n from '@vscode/l10n';
import {
  env,
  type MarkdownString,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
} from 'vscode';
import { assertNever } from '../../core/errors';
import type { ProcessUsage } from '../../core/stdio/processFacts';
import { isOldRevision } from '../../core/types';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { Server, ServerState } from '../../host/connections/snapshot';
import { contextValues } from '../../ids';
import { canWatch } from '../configuration/restartOnSave';
import {
  formatSignInRow,
  isSignInAwaited,
  signInTooltipLines,
  signInContextValue,
} from '../authorization/formatSignIn';
import { formatChangeCount, mainChange } from '../format/formatToolChange';
import { formatProcess, formatRestart, formatRestarted } from '../format/formatProcess';
import {
  formatServerStart,
  clientProfileLines,
  formatClientProfile,
  machineSentence,
  remoteMachineName,
} from '../format/formatServerState';
import { quoted } from '../format/sentences';
import { formatSource, printedSentence } from '../format/sentencesOfProblems';
import { disabledUri, markUri } from './rowDecorations';
import type { TreeModel } from './treeModel';
import type { ServerRow } from './treeRows';
import { type RowKind, boldLine, foreignLine, markdownTooltip, iconLines } from './rowKind';
import { formatToolCount } from './toolFilterState';
export const serverRow: RowKind<'server'> = { item: serverItem, tooltip: serverTooltip };

function serverItem(row: ServerRow, model: TreeModel): TreeItem {
  const { server, marks, shownTools, opening } = model.serverFacts(row);
  // The server was removed; the next refresh removes its row.
  if (server === undefined) return new TreeItem(quoted(row.serverId));
  const label = quoted(server.config.label);
  const item = new TreeItem(label, TreeItemCollapsibleState[opening]);
  const changes = formatChangeCount(marks);
  const words = formatServer(server, shownTools);
  if (server.client !== undefined) words.push(formatClientProfile(server.client));
  if (server.isRecorded === true) words.unshift(l10n.t('recording'));
  if (server.config.source.kind === 'recording') words.unshift(l10n.t('replay'));
  // The machine comes first, because a narrow sidebar cuts the end.
  const machine =
    server.config.transport.kind === 'stdio' ? remoteMachineName(env.remoteName) : undefined;
  const description = [
    ...(changes === '' ? [] : [changes]),
    ...words,
    ...(machine === undefined ? [] : [machine]),
  ].join(' · ');
  item.description = description;
  if (changes !== '') item.resourceUri = markUri(mainChange(marks));
  // A server that is about to restart can be stopped.
  const isComing = server.restarts?.nextAt !== undefined;
  item.iconPath = isSignInAwaited(server) ? new ThemeIcon('key') : stateIcon(server);
  item.contextValue = isComing ? contextValues.serverStarting : serverContextValue(server);
  if (server.isDisabled === true) {
    item.resourceUri = disabledUri;
    item.iconPath = new ThemeIcon('circle-slash', new ThemeColor('disabledForeground'));
    item.contextValue = contextValues.serverDisabled;
  }
  item.accessibilityInformation = { label: l10n.t('Server {0}: {1}', label, description) };
  return item;
}

/** Describes the state and the tools in at most two short parts, for a narrow sidebar. */
function formatServer(server: Server, shown: number): string[] {
  const { state, tools, restarts, isDisabled } = server;
  if (isDisabled === true) return [l10n.t('disabled')];
  const signIn = formatSignInRow(server);
  switch (state.kind) {
    case 'stopped':
      return [signIn ?? l10n.t('stopped')];
    case 'starting':
      return [signIn ?? formatServerStart(state)];
    case 'failed':
      return [restarts?.nextAt === undefined ? l10n.t('failed') : formatRestart(restarts)];
    case 'running':
      return [
        formatToolCount(shown, tools.length),
        ...(signIn === undefined ? [] : [signIn]),
        ...(signIn === undefined && isOldRevision(state.revision) ? [state.revision] : []),
      ];
    default:
      return assertNever(state);
  }
}

function stateIcon({ state, isRecorded }: Server): ThemeIcon {
  switch (state.kind) {
    case 'stopped':
      return new ThemeIcon('vm-outline');
    case 'starting':
      return new ThemeIcon(state.isHeld === true ? 'watch' : 'loading~spin');
    case 'running':
      return isRecorded === true
        ? new ThemeIcon('record', new ThemeColor('problemsErrorIcon.foreground'))
        : new ThemeIcon('vm-running', new ThemeColor('testing.iconPassed'));
    case 'failed':
      return new ThemeIcon('error', new ThemeColor('problemsErrorIcon.foreground'));
    default:
      return assertNever(state);
  }
}

function serverTooltip(
  row: ServerRow,
  model: TreeModel,
  usage?: ProcessUsage,
): MarkdownString | undefined {
  const server = model.server(row);
  if (server === undefined) return undefined;
  const { config, state } = server;
  return markdownTooltip([
    boldLine(config.label),
    foreignLine(l10n.t('Configured in: {0}', formatSource(config.source))),
    ...shadowedLines(server).map(foreignLine),
    foreignLine(formatServerReach(server)),
    ...(config.transport.kind === 'stdio' ? [foreignLine(machineSentence(env.remoteName))] : []),
    ...stateLines(server, usage).map(foreignLine),
    ...(server.client === undefined ? [] : clientProfileLines(server.client)).map(foreignLine),
    ...(server.isRecorded === true ? [foreignLine(recordedSentence())] : []),
    ...(server.isDisabled === true ? [] : signInTooltipLines(server.signIn)).map(foreignLine),
    ...iconLines(state.kind === 'running' ? state.serverInfo.icons : undefined),
  ]);
}

/** Names other places that configure a server of this name. These entries are ignored. */
function shadowedLines({ configProblems }: Server): string[] {
  return configProblems
    .filter(({ code }) => code === 'shadowed')
    .map(({ source }) => l10n.t('Also configured in {0}, which is ignored.', formatSource(source)));
}

/**
 * Shows only the program or the host: arguments, environment variables and headers may contain
 * secrets.
 */
function formatServerReach({ config: { transport } }: Server): string {
  if (transport.kind === 'stdio' && transport.recording !== undefined) {
    return l10n.t('Replayed from a recording, without the server itself.');
  }
  if (transport.kind === 'stdio') return l10n.t('Program: {0}', transport.command);
  return l10n.t('URL: {0}', URL.canParse(transport.url) ? new URL(transport.url).host : '?');
}

function recordedSentence(): string {
  return l10n.t('All its messages are recorded in a file. “Stop Recording” ends the recording.');
}

function startLine(
  { isHeld, isInstalling, printed }: Extract<ServerState, { kind: 'starting' }>,
  label: string,
): string {
  if (isHeld === true) {
    return l10n.t('Waiting for your answer, or for the previous run to stop.');
  }
  if (printed !== undefined) return printedSentence(label, printed);
  return isInstalling === true
    ? l10n.t(
        'Installing packages. The time limit of the start is paused for up to 10 minutes. “Stop Server” cancels.',
      )
    : l10n.t('Starting…');
}

function watchLines({ watch = [] }: ServerConfig): string[] {
  return watch.length === 0
    ? []
    : [l10n.t('Restarts when a file changes: {0}', watch.map(quoted).join(', '))];
}

function stateLines(
  { state, tools, restarts, isDisabled, config }: Server,
  usage?: ProcessUsage,
): string[] {
  if (isDisabled === true) {
    return [l10n.t('Disabled in this workspace. “Enable Server” enables it again.')];
  }
  switch (state.kind) {
    case 'stopped':
      return [l10n.t('Stopped. Start it to see its tools.')];
    case 'starting':
      return [startLine(state, config.label)];
    case 'failed':
      return [l10n.t('Failed. See the row below.')];
    case 'running':
      return [
        l10n.t(
          'Running since {0}, protocol {1}. Tools: {2}',
          new Date(state.startedAt).toLocaleTimeString(),
          state.revision,
          tools.length,
        ),
        l10n.t('Identifies itself as {0} {1}', state.serverInfo.name, state.serverInfo.version),
        ...(state.pid === undefined ? [] : [formatProcess(state.pid, usage)]),
        ...watchLines(config),
        ...[restarts && formatRestarted(restarts)].filter((part) => part !== undefined),
      ];
    default:
      return assertNever(state);
  }
}

/** Returns the context value by which `package.json` chooses the menus of a server row. */
function serverContextValue(server: Server): string {
  const value = signInContextValue(server) ?? stateContextValue(server);
  if (server.config.source.kind === 'recording') return replayContextValue(value);
  if (server.isRecorded !== true) return value;
  if (value === contextValues.serverRunning) return contextValues.serverRecorded;
  return value === contextValues.serverSignedIn ? contextValues.serverSignedInRecorded : value;
}

/** A replay that is not running can be removed from the list. */
function replayContextValue(value: string): string {
  if (value === contextValues.serverStopped) return contextValues.serverReplayStopped;
  return value === contextValues.serverFailed ? contextValues.serverReplayFailed : value;
}

function stateContextValue({ state, config, isRecorded }: Server): string {
  const isRemote = config.transport.kind !== 'stdio';
  switch (state.kind) {
    case 'stopped':
      return isRemote ? contextValues.serverRemoteStopped : contextValues.serverStopped;
    case 'starting':
      return contextValues.serverStarting;
    case 'running':
      if (isRecorded === true) return contextValues.serverRunning;
      return runningContextValue(config);
    case 'failed':
      return isRemote ? contextValues.serverRemoteFailed : contextValues.serverFailed;
    default:
      return assertNever(state);
  }
}

/** Says whether _Restart on Save_ can be switched on or off. */
function runningContextValue(config: ServerConfig): string {
  if (!canWatch(config)) return contextValues.serverRunning;
  return config.watch === undefined
    ? contextValues.serverRunningLocal
    : contextValues.serverRunningWatched;
}
