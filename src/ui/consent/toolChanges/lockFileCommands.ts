import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { leadsThroughLink } from '../../../core/bounds/pathWithin';
import type { ServerRegistry } from '../../../host/connections/registry';
import type { Server } from '../../../host/connections/snapshot';
import type { Fingerprint } from '../../../host/consent/facts/fingerprints';
import { parseLockFile } from '../../../host/consent/pins/lockFile';
import {
  lockEntryOf,
  lockServerChange,
  type TextChange,
} from '../../../host/consent/pins/lockFileEdits';
import type { LockFiles } from '../../../host/consent/pins/lockFiles';
import type { ToolFingerprints } from '../../../host/consent/pins/pinDefinition';
import type { Pins } from '../../../host/consent/pins/pins';
import { commands, lockFileName } from '../../../ids';
import { createFile, exists } from '../../editor/configurationFiles';
import { Debouncer } from '../../editor/debouncer';
import { labelOfFolder, localFolders } from '../../editor/localFolders';
import { startServerAction, notify } from '../../editor/messages';
import { watchFiles } from '../../editor/watchFiles';
import { dialogText } from '../../format/dialogLines';
import { rangeOf } from '../../editor/textPlaces';
import { quoted } from '../../format/sentences';
import { namedServer } from '../../servers/serverPicker';
import { saveDocument } from '../../editor/savedDocument';

interface LockFileCommandsOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'find'>;
  readonly pins: Pick<Pins, 'marks'>;
  readonly fingerprints: ToolFingerprints;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
}

type Tools = ReadonlyMap<string, Fingerprint>;

/** Write Lock File…: for a server's row or a picked server. */
export function registerLockFileCommands(options: LockFileCommandsOptions): vscode.Disposable {
  return vscode.commands.registerCommand(commands.writeLockFile, (argument: unknown) =>
    writeLockFile(options, argument),
  );
}

async function writeLockFile(options: LockFileCommandsOptions, argument: unknown): Promise<void> {
  if (!vscode.workspace.isTrusted) return notifyUntrusted();
  if (localFolders().length === 0) return notifyNoFolder();
  const server = await namedServer(argument, {
    registry: options.registry,
    title: l10n.t('Write Lock File'),
    fits: ({ state }) => state.kind === 'running',
    none: [l10n.t('No server is running.'), startServerAction()],
  });
  if (server === undefined) return undefined;
  if (server.state.kind !== 'running') return notifyNotRunning(server);
  const folder = await chooseFolder(server);
  if (folder === undefined) return undefined;
  if (leadsThroughLink(folder.uri.fsPath, lockFileName)) return notifyLink();
  const uri = vscode.Uri.joinPath(folder.uri, lockFileName);
  const isThere = await exists(uri);
  const document = isThere ? await vscode.workspace.openTextDocument(uri) : undefined;
  const tools = await lockedTools(options, server);
  const change = changeOf(options, document?.getText() ?? '', server);
  if (change === undefined) return notifyUnreadable(uri);
  const before = lockedBefore(document?.getText() ?? '', server.config.id);
  if (!(await confirm(options, { server, folder, before, tools }))) return undefined;
  // A program may have replaced the file during the question.
  if (leadsThroughLink(folder.uri.fsPath, lockFileName)) return notifyLink();
  if (document === undefined) await createFile(uri, change.text);
  else await applyChange(options, document, server);
  await vscode.window.showTextDocument(uri, { preview: false });
}

/**
 * Returns the folder that configures the server. For other servers the user picks one. Servers are
 * programs of this computer, so only local folders have lock files for them.
 */
async function chooseFolder({ config }: Server): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = localFolders();
  const { source } = config;
  if (source.kind === 'workspaceFile') {
    return folders.find(({ uri }) => uri.fsPath === source.folder);
  }
  return folders.length === 1
    ? folders[0]
    : vscode.window.showWorkspaceFolderPick({
        placeHolder: l10n.t('Choose the folder of the lock file'),
      });
}

/** Returns the callable tools as the server lists them now. */
async function lockedTools(
  { fingerprints }: LockFileCommandsOptions,
  { tools }: Server,
): Promise<Tools> {
  await fingerprints.prepare(tools);
  const callable = tools.filter(({ tool }) => tool.callable);
  return new Map(callable.map(({ tool }) => [tool.name, fingerprints.of(tool)]));
}

/** Includes the definitions of callable tools, but none that contains a secret. */
function changeOf(
  { redact }: LockFileCommandsOptions,
  text: string,
  { config, tools }: Server,
): TextChange | undefined {
  const callable = tools.flatMap(({ tool }) => (tool.callable ? [tool] : []));
  const entries = callable.map((tool) => [tool.name, lockEntryOf(tool, redact)] as const);
  return lockServerChange(text, config.id, new Map(entries));
}

function lockedBefore(text: string, serverId: string): ReadonlyMap<string, unknown> {
  const tools = parseLockFile(text).servers.get(serverId)?.tools ?? new Map();
  return new Map([...tools].map(([name, { fingerprint }]) => [name, fingerprint]));
}

interface Plan {
  readonly server: Server;
  readonly folder: vscode.WorkspaceFolder;
  readonly before: ReadonlyMap<string, unknown>;
  readonly tools: Tools;
}

/** Says what will change in the file, and asks for confirmation. */
async function confirm({ pins }: LockFileCommandsOptions, plan: Plan): Promise<boolean> {
  const { server, folder, before, tools } = plan;
  const names = [...tools.keys()];
  const added = names.filter((name) => !before.has(name));
  const changed = names.filter((name) => before.has(name) && before.get(name) !== tools.get(name));
  const removed = [...before.keys()].filter((name) => !tools.has(name));
  const marks = pins.marks(server.config.id);
  const open = names.filter((name) => marks.new.has(name) || marks.changed.has(name));
  const detail = [
    ...line(l10n.t('Added'), added),
    ...line(l10n.t('Changed'), changed),
    ...line(l10n.t('Removed'), removed),
    ...(added.length + changed.length + removed.length === 0
      ? [l10n.t('The file is already up to date.')]
      : []),
    ...line(l10n.t('New or changed, and not yet accepted by you'), open),
    l10n.t(
      'You are asked before calls of tools that differ from the file. The file never skips a question.',
    ),
  ].join('\n\n');
  const write = l10n.t('Write');
  const answer = await vscode.window.showInformationMessage(
    l10n.t(
      'Write the tools of “{1}” to “{2}” in folder “{3}”? Tools: {0}',
      tools.size,
      quoted(server.config.label),
      lockFileName,
      quoted(labelOfFolder(folder.uri.fsPath)),
    ),
    { modal: true, detail: dialogText(detail) },
    write,
  );
  return answer === write;
}

/** Maximum number of names that are listed. */
const maxNames = 10;

function line(heading: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, maxNames).map(quoted).join(', ');
  const message = l10n.t('{0} ({1}): {2}', heading, names.length, shown);
  return [names.length > maxNames ? `${message}…` : message];
}

/** Saves the file unless the user has unsaved changes there. */
async function applyChange(
  options: LockFileCommandsOptions,
  document: vscode.TextDocument,
  server: Server,
): Promise<void> {
  const wasDirty = document.isDirty;
  // The change is computed again, because the user may have typed during the question.
  const change = changeOf(options, document.getText(), server);
  if (change === undefined) return notifyUnreadable(document.uri);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, rangeOf(document, change), change.text);
  await vscode.workspace.applyEdit(edit);
  if (!wasDirty) await saveDocument(document);
}

function notifyUntrusted(): void {
  notify('information', l10n.t('The lock file is ignored because this workspace is not trusted.'));
}

function notifyNoFolder(): void {
  notify('information', l10n.t('A lock file belongs to a folder. Open a folder first.'));
}

function notifyNotRunning({ config }: Server): void {
  const message = l10n.t(
    'The tools of server “{0}” are not known because it is not running. Start it first.',
    quoted(config.label),
  );
  notify('information', message, startServerAction(config.id));
}

function notifyLink(): void {
  notify('error', l10n.t('“{0}” was not written because it is a link.', lockFileName));
}

function notifyUnreadable(uri: vscode.Uri): void {
  const message = l10n.t(
    'Not written: the existing lock file cannot be read. Correct or remove it first.',
  );
  notify('error', message, {
    title: l10n.t('Open'),
    command: 'vscode.open',
    arguments: [uri],
  });
}

/** Editors save in several steps, and a branch switch changes many files. */
const quietMs = 100;

/** Reloads the lock files of the workspace folders when they change. */
export class LockFileWatcher implements vscode.Disposable {
  readonly #locks: Pick<LockFiles, 'refresh'>;
  readonly #subscriptions: vscode.Disposable;
  #fileWatcher: vscode.Disposable | undefined;
  readonly #quiet = new Debouncer(() => void this.#locks.refresh(), quietMs);

  constructor(locks: Pick<LockFiles, 'refresh'>) {
    this.#locks = locks;
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.#watch();
        this.#quiet.start();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#quiet.start()),
    );
    this.#watch();
    void locks.refresh();
  }

  dispose(): void {
    this.#quiet.dispose();
    this.#subscriptions.dispose();
    this.#fileWatcher?.dispose();
  }

  #watch(): void {
    this.#fileWatcher?.dispose();
    const files = localFolders().map(({ uri }) => vscode.Uri.joinPath(uri, lockFileName).fsPath);
    this.#fileWatcher = watchFiles(files, () => this.#quiet.start());
  }
}
