import * as l10n from '@vscode/l10n';
import path from 'node:path';
import * as vscode from 'vscode';
import { isObject } from '../../core/json/shapes';
import { RecordingError } from '../../core/recording/recordingLines';
import { isRecordedText } from '../../core/recording/recordedLine';
import { serversOfRecording } from '../../core/recording/recordingRows';
import { visibleText, escapeIcons } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import type { RecordedServer, RecordedServers } from '../../host/recording/recordedServers';
import { commands, views } from '../../ids';
import { isWorkspaceFile } from '../editor/inFront';
import { notify } from '../editor/messages';
import { isOwnArgument } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import type { ServerActions } from '../servers/serverActions';
import { namedServer } from '../servers/serverPicker';
import { recordingSentence } from './formatRecording';
import { recordingExtension } from './recordCommands';
import type { RecordingDocuments } from './recordingDocuments';

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
const maxLabelChars = 200;

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
    label: escapeIcons(visibleText(server, maxLabelChars)),
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
