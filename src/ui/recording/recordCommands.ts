import * as l10n from '@vscode/l10n';
import path from 'node:path';
import * as vscode from 'vscode';
import { toMcpError } from '../../core/errors';
import { parsePointerSteps, type PointerSteps } from '../../core/json/jsonPointer';
import { isObject } from '../../core/json/shapes';
import { isRecordedText, RecordingError } from '../../core/recording/recordedLine';
import { serversOfRecording } from '../../core/recording/readRecording';
import type { ServerRegistry } from '../../host/connections/registry';
import { isActive, type Server } from '../../host/connections/snapshot';
import type { RecordedServer, RecordedServers } from '../../host/recording/recordedServers';
import type { EndedRecording, Recordings } from '../../host/recording/recordings';
import { commands, settings as settingIds, views } from '../../ids';
import { isWorkspaceFile } from '../editor/inFront';
import { notify } from '../editor/messages';
import {
  markOwnArgument,
  isUserChoice,
  commandTarget,
  isOwnArgument,
} from '../editor/ownArguments';
import { registerRowCommand } from '../editor/rowCommands';
import { formatTime } from '../format/formatTime';
import { quoted } from '../format/sentences';
import { labelText } from '../format/labelText';
import type { ServerActions } from '../servers/serverActions';
import { chooseServer, namedServer } from '../servers/serverPicker';
import type { SettingsReader } from '../settings/settings';
import { recordingSentence } from './formatRecording';
import type { RecordingDocuments } from './recordingDocuments';

interface RecordCommandsOptions {
  readonly registry: ServerRegistry;
  readonly actions: Pick<ServerActions, 'start' | 'stop'>;
  readonly recordings: Recordings;
  readonly settings: Pick<SettingsReader, 'current'>;
}

const recordingExtension = 'mcprecord';
const maxNameChars = 60;

/** Registers Record and Stop Recording. The result of a recording is shown when it ends. */
export function registerRecordCommands(options: RecordCommandsOptions): vscode.Disposable {
  const { recordings } = options;
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commands.recordServer, (argument: unknown) =>
      record(options, argument),
    ),
    registerRowCommand(commands.stopRecording, (argument: unknown) =>
      stopRecording(options, argument),
    ),
    recordings.onDidEnd(notifyEnd),
  );
}

/** The user chooses the file. A running server is restarted, so that the recording is complete. */
async function record(options: RecordCommandsOptions, argument: unknown): Promise<void> {
  const { registry, actions, recordings } = options;
  const server = await serverToRecord(options, argument);
  if (server === undefined) return;
  const { id } = server.config;
  const omitted = pointersOf(options.settings.current.recordingOmits);
  // Starting the server says why it cannot start.
  const mayStart = vscode.workspace.isTrusted && server.isDisabled !== true;
  if (!mayStart) await actions.start(id, isUserChoice(argument));
  if (!mayStart || omitted === undefined) return;
  const file = await chooseFile(server);
  if (file === undefined) return;
  const { config } = registry.find(id) ?? server;
  try {
    if (!(await recordings.open(config, file, omitted))) return;
  } catch (error) {
    const detail = quoted(toMcpError(error).message);
    notify('error', l10n.t('The recording cannot be written: “{0}”', detail));
    return;
  }
  if (isActive(registry.find(id))) await actions.stop(id);
  if (isActive(registry.find(id))) {
    await recordings.end(id);
    return;
  }
  recordings.arm(id);
  if (!(await actions.start(id, isUserChoice(argument)))) await recordings.end(id);
}

async function serverToRecord(
  { registry, recordings }: RecordCommandsOptions,
  argument: unknown,
): Promise<Server | undefined> {
  const isFree = ({ config }: Server) => !recordings.isRecording(config.id);
  const server = await namedServer(argument, {
    registry,
    title: l10n.t('Record Server'),
    fits: isFree,
    none: [l10n.t('There is no server to record.')],
  });
  return server !== undefined && isFree(server) ? server : undefined;
}

/** Returns `undefined` after a message if one of them is not a JSON pointer. */
function pointersOf(texts: readonly string[]): readonly PointerSteps[] | undefined {
  const all = texts.map((text) => ({ text, steps: parsePointerSteps(text) }));
  const wrong = all.find(({ steps }) => steps === undefined || steps.length === 0);
  if (wrong === undefined) return all.flatMap(({ steps }) => (steps === undefined ? [] : [steps]));
  const { section, recordingOmits } = settingIds;
  const setting = `${section}.${recordingOmits}`;
  notify(
    'error',
    l10n.t('Not recorded: “{0}” in {1} is not a JSON pointer.', quoted(wrong.text), setting),
    {
      title: l10n.t('Open Settings'),
      command: 'workbench.action.openSettings',
      arguments: [setting],
    },
  );
  return undefined;
}

async function chooseFile(server: Server): Promise<string | undefined> {
  const { config } = server;
  const label = quoted(config.label);
  const defaultUri = proposedFile(config.id);
  const uri = await vscode.window.showSaveDialog({
    ...(defaultUri === undefined ? {} : { defaultUri }),
    title: l10n.t('Record All Messages of “{0}”', label),
    saveLabel: isActive(server) ? l10n.t('Restart and Record') : l10n.t('Record'),
    filters: { [l10n.t('Recordings')]: [recordingExtension] },
  });
  if (uri === undefined) return undefined;
  if (uri.scheme === 'file' && uri.fsPath === replayedFile(server)) {
    notify('error', l10n.t('“{0}” is replayed from this file. Choose another file.', label));
    return undefined;
  }
  if (uri.scheme === 'file') return uri.fsPath;
  notify('error', l10n.t('Recordings can only be written on the machine that runs the servers.'));
  return undefined;
}

/** The server replays this file, so recording into it would destroy its source. */
function replayedFile({ config: { transport } }: Server): string | undefined {
  return transport.kind === 'stdio' ? transport.recording?.file : undefined;
}

/** Proposes a file in the workspace, named by the server and the time. */
function proposedFile(id: string): vscode.Uri | undefined {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  if (folder === undefined) return undefined;
  const name = id.replace(/[^\w-]+/g, '-').slice(0, maxNameChars) || 'server';
  const time = formatTime(Date.now()).replace(/[: ]/g, '-');
  return vscode.Uri.joinPath(folder.uri, `${name}-${time}.${recordingExtension}`);
}

async function stopRecording(
  { registry, recordings }: RecordCommandsOptions,
  argument: unknown,
): Promise<void> {
  const { serverId } = commandTarget(argument);
  if (serverId !== undefined) {
    await recordings.end(serverId);
    return;
  }
  const fits = ({ config }: Server) => recordings.isRecording(config.id);
  const [only, ...others] = registry.servers.filter(fits);
  const title = l10n.t('Stop Recording');
  const none = [l10n.t('No server is being recorded.')] as const;
  const chosen =
    others.length === 0 && only ? only : await chooseServer({ registry, title, fits, none });
  if (chosen !== undefined) await recordings.end(chosen.config.id);
}

function notifyEnd({ label, file, messages, how }: EndedRecording): void {
  const [server, name] = [quoted(label), quoted(path.basename(file))];
  const open = {
    title: l10n.t('Open Recording'),
    command: commands.openRecording,
    arguments: [markOwnArgument({ file })],
  };
  switch (how) {
    case 'whole':
      notify(
        'information',
        l10n.t('Recorded “{0}” in {2}. Messages: {1}.', server, messages, name),
        open,
      );
      return;
    case 'full':
      notify(
        'warning',
        l10n.t('The recording of “{0}” has stopped because it is full: {1}.', server, name),
        open,
      );
      return;
    case 'failed':
      notify(
        'error',
        l10n.t('The recording of “{0}” has stopped because it cannot be written.', server),
      );
      return;
    case 'empty':
      notify('information', l10n.t('No messages of “{0}” were recorded.', server));
      return;
  }
}

export interface ReplayCommandsOptions {
  readonly registry: ServerRegistry;
  readonly actions: Pick<ServerActions, 'start' | 'restart'>;
  readonly recorded: RecordedServers;
  readonly documents: Pick<RecordingDocuments, 'open' | 'showMore'>;
  /** Reloads the configuration. */
  readonly reload: () => Promise<void>;
}

/** File types of mcporter and the MCP Inspector. */
const foreignExtensions = ['ndjson', 'json'];

/** Registers Open Recording, Replay Recording, and Remove Recorded Server. */
export function registerReplayCommands(options: ReplayCommandsOptions): vscode.Disposable {
  const { registerCommand } = vscode.commands;
  return vscode.Disposable.from(
    registerCommand(commands.openRecording, (argument: unknown) =>
      openRecording(options, argument),
    ),
    registerCommand(commands.replayRecording, (argument: unknown) =>
      replayRecording(options, argument),
    ),
    registerCommand(commands.removeReplay, (argument: unknown) => removeReplay(options, argument)),
  );
}

async function openRecording(
  { documents }: ReplayCommandsOptions,
  argument: unknown,
): Promise<void> {
  if (isOwnArgument(argument) && isObject(argument)) {
    const { key, file } = argument;
    if (typeof file === 'string') await documents.open(file);
    else documents.showMore(key);
    return;
  }
  const file = await fileOf(argument, l10n.t('Open Recording'), [recordingExtension]);
  if (file !== undefined) await documents.open(file);
}

async function replayRecording(options: ReplayCommandsOptions, argument: unknown): Promise<void> {
  const chosen = await serverOf(argument);
  if (chosen !== undefined) await replay(options, chosen);
}

/** Returns the named recording of the workspace, or one that the user picks. */
async function fileOf(
  argument: unknown,
  title: string,
  extensions: readonly string[],
): Promise<string | undefined> {
  if (argument instanceof vscode.Uri && (await isWorkspaceFile(argument))) return argument.fsPath;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const [picked] =
    (await vscode.window.showOpenDialog({
      title,
      filters: { [l10n.t('Recordings')]: [...extensions] },
      ...(folder === undefined ? {} : { defaultUri: folder }),
    })) ?? [];
  if (picked === undefined || picked.scheme === 'file') return picked?.fsPath;
  notify('error', l10n.t('Recordings can only be read on the machine that runs the servers.'));
  return undefined;
}

async function serverOf(argument: unknown): Promise<RecordedServer | undefined> {
  if (isOwnArgument(argument) && isObject(argument)) {
    const { file, server } = argument;
    if (isRecordedText(file) && isRecordedText(server)) return { file, server };
  }
  const extensions = [recordingExtension, ...foreignExtensions];
  const file = await fileOf(argument, l10n.t('Replay Recording'), extensions);
  if (file === undefined) return undefined;
  const name = path.basename(file);
  try {
    const servers = await serversOfRecording(file);
    const server = await chosenOf(servers);
    if (servers.length === 0) {
      notify('warning', l10n.t('{0} contains no message from a server.', quoted(name)));
    }
    return server === undefined ? undefined : { file, server };
  } catch (error) {
    const known = error instanceof RecordingError ? error : new RecordingError('unreadable');
    notify('error', quoted(recordingSentence(name, known)));
    return undefined;
  }
}

async function chosenOf(servers: readonly string[]): Promise<string | undefined> {
  if (servers.length <= 1) return servers[0];
  const items = servers.map((server) => ({
    label: labelText(server),
    server,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: l10n.t('Replay Recording'),
    placeHolder: l10n.t('Choose a server'),
  });
  return picked?.server;
}

/** Restarts a running replay from the beginning. */
async function replay(options: ReplayCommandsOptions, chosen: RecordedServer): Promise<void> {
  const { registry, actions, recorded, reload } = options;
  const id = recorded.add(chosen);
  await reload();
  await vscode.commands.executeCommand(`${views.servers}.focus`);
  const server = registry.find(id);
  if (server?.config.source.kind !== 'recording') {
    notify(
      'warning',
      l10n.t(
        'The recorded server is not listed because another server is named “{0}”.',
        quoted(id),
      ),
    );
    return;
  }
  await (server.state.kind === 'running' ? actions.restart(id) : actions.start(id));
}

async function removeReplay(
  { registry, recorded }: ReplayCommandsOptions,
  argument: unknown,
): Promise<void> {
  const none = [l10n.t('No recorded server is listed.')] as const;
  const title = l10n.t('Remove Recorded Server');
  const chosen = await namedServer(argument, { registry, title, fits: isReplay, none });
  if (chosen !== undefined && isReplay(chosen)) recorded.remove(chosen.config.id);
}

function isReplay({ config }: Server): boolean {
  return config.source.kind === 'recording';
}
