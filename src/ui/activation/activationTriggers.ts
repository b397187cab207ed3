import path from 'node:path';
import { readdir, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { callFileExtension, lockFileName, recordingEditor, scheme, settings } from '../../ids';
import { sourceFiles, userConfigurationFiles } from '../editor/configurationSources';
import { watchPattern } from '../editor/watchFiles';
import { systemErrorCode } from '../../core/bounds/systemError';

type TriggerContext = Pick<
  vscode.ExtensionContext,
  'globalStorageUri' | 'secrets' | 'workspaceState'
>;

/** Key prefix of stored sign-ins; see `secretRecords.ts`. */
const signInPrefix = 'authorization:';
/** Key of the servers that replay recordings; see `recordedServers.ts`. */
const recordedKey = 'recordedServers';
/**
 * Folders in global storage with remains of a killed window; see `serverProcesses.ts` and
 * `resultsOnDisk.ts`.
 */
const leftFolders = ['processes', 'results'];

/** Files in which the extension helps, besides call files and `*.code-workspace`. */
const helpedFiles = ['mcp.json', '.mcp.json', 'mcp-config.json', 'settings.json', lockFileName];
const helpedExtensions = [callFileExtension, '.code-workspace'];
/** Longer Markdown is not searched for calls. */
const maxRunbookChars = 1024 * 1024;

/**
 * Resolves with true if the extension has something to do in this window: servers that are
 * configured or replay recordings, a lock file, allowed agents, sign-ins for the Accounts menu, and
 * processes or results of a killed window. It checks only whether files exist and reads none. Never
 * rejects.
 */
export async function hasWork(context: TriggerContext): Promise<boolean> {
  if (isConfigured() || hasRecorded(context)) return true;
  const looks = [
    ...watchedFiles(context).map(isThere),
    ...leftFolders.map((name) => hasEntries(path.join(context.globalStorageUri.fsPath, name))),
    hasSignIns(context),
  ];
  return isAny(looks);
}

/** Calls `wake` when there may be work, as {@link hasWork} says or because something is shown. */
export function onActivationTrigger(context: TriggerContext, wake: () => void): vscode.Disposable {
  let watchers: readonly vscode.Disposable[] = [];
  const watch = (): void => {
    for (const watcher of watchers) watcher.dispose();
    watchers = watchedFiles(context).map((file) =>
      watchPattern(
        new vscode.RelativePattern(vscode.Uri.file(path.dirname(file)), path.basename(file)),
        wake,
      ),
    );
  };
  const look = async (): Promise<void> => {
    if (await hasWork(context)) wake();
  };
  watch();
  return vscode.Disposable.from(
    { dispose: () => watchers.forEach((watcher) => watcher.dispose()) },
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      watch();
      void look();
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settings.section)) wake();
    }),
    context.secrets.onDidChange(({ key }) => {
      if (key.startsWith(signInPrefix)) wake();
    }),
    // The editor may have missed a change, or another window has made one.
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) void look();
    }),
    vscode.workspace.onDidOpenTextDocument((document) => {
      if (isHelped(document)) wake();
    }),
    vscode.window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
      if ([...opened, ...changed].some(isOurs)) wake();
    }),
  );
}

/** True if a tab shows a document of the extension, or a document in which it helps is open. */
export function isInSight(): boolean {
  const { all } = vscode.window.tabGroups;
  return all.some(({ tabs }) => tabs.some(isOurs)) || vscode.workspace.textDocuments.some(isHelped);
}

function isConfigured(): boolean {
  const section = vscode.workspace.getConfiguration(settings.section);
  const servers: unknown = section.get(settings.servers);
  const isEmpty =
    servers === undefined ||
    servers === null ||
    (typeof servers === 'object' && Object.keys(servers).length === 0);
  return (
    !isEmpty ||
    section.get<unknown>(settings.demoServer) === true ||
    section.get<unknown>(settings.agentsEnabled) === true
  );
}

function hasRecorded({ workspaceState }: TriggerContext): boolean {
  const kept: unknown = workspaceState.get(recordedKey);
  return Array.isArray(kept) && kept.length > 0;
}

/** Returns every configuration file and lock file. */
function watchedFiles(context: TriggerContext): readonly string[] {
  const lockFiles = (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => vscode.Uri.joinPath(uri, lockFileName).fsPath);
  const files = sourceFiles(userConfigurationFiles(context));
  return [...files.map(({ source }) => source.path), ...lockFiles];
}

/**
 * Resolves with the first true, without waiting for the others: a keyring or a network folder may
 * be slow.
 */
function isAny(looks: readonly Promise<boolean>[]): Promise<boolean> {
  const found = looks.map(async (look) => {
    if (!(await look)) throw new Error('There is nothing.');
    return true;
  });
  return Promise.any(found).catch(() => false);
}

/** A file that cannot be checked counts as existing, so that its reader reports the problem. */
async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');
  }
}

async function hasEntries(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).length > 0;
}

async function hasSignIns({ secrets }: TriggerContext): Promise<boolean> {
  try {
    return (await secrets.keys()).some((key) => key.startsWith(signInPrefix));
  } catch {
    // Without a keyring nothing can be stored there.
    return false;
  }
}

function isHelped(document: vscode.TextDocument): boolean {
  const { uri } = document;
  const name = path.posix.basename(uri.path);
  return (
    isOwnScheme(uri) ||
    isRunbook(document) ||
    helpedFiles.includes(name) ||
    helpedExtensions.some((extension) => name.endsWith(extension))
  );
}

/** True for a Markdown file that may contain calls; see `core/callFiles/runbook.ts`. */
function isRunbook(document: vscode.TextDocument): boolean {
  if (document.languageId !== 'markdown' || document.uri.scheme !== 'file') return false;
  return /^[ \t]*(?:`{3,}|~{3,})[ \t]*mcpcall\b/m.test(
    document.getText().slice(0, maxRunbookChars),
  );
}

function isOurs({ input }: vscode.Tab): boolean {
  if (typeof input !== 'object' || input === null) return false;
  // The custom editor waits for its provider and does not ask for it.
  if (input instanceof vscode.TabInputCustom && input.viewType === recordingEditor) return true;
  const uris: readonly unknown[] = Object.values(input);
  return uris.some((uri) => uri instanceof vscode.Uri && isOwnScheme(uri));
}

/** Every scheme of the extension begins with the same name. */
function isOwnScheme({ scheme: name }: vscode.Uri): boolean {
  return name === scheme || name.startsWith(`${scheme}-`);
}
