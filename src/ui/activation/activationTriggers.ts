import path from 'node:path';
import { readdir, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { callFileExtension, lockFileName, recordingEditor, scheme, settings } from '../../ids';
import { sourceFiles, userConfigurationFile } from '../configuration/configurationSources';
import { watchPattern } from '../editor/watchFiles';

export type TriggerContext = Pick<
  vscode.ExtensionContext,
  'globalStorageUri' | 'secrets' | 'workspaceState'
>;

/** What sign-ins are kept under: `secretRecords.ts`. */
const signInPrefix = 'authorization:';
/** What servers are kept under that answer from recordings: `recordedServers.ts`. */
const recordedKey = 'recordedServers';
/** What a killed window leaves in global storage: `serverProcesses.ts`, `resultsOnDisk.ts`. */
const leftFolders = ['processes', 'results'];

/** Files in which the editor helps, besides call files and those of other extensions' workspaces. */
const helpedFiles = ['mcp.json', '.mcp.json', 'settings.json', lockFileName];
const helpedExtensions = [callFileExtension, '.code-workspace'];
/** In longer Markdown there are no calls. */
const maxRunbookChars = 1024 * 1024;

/**
 * Whether the window has something for the extension to do without being asked: servers that are
 * configured or answer from recordings, a lock file, agents that are let in, sign-ins for the Accounts menu, processes and
 * results that a killed window left. Looks whether files are there and reads none. Never rejects.
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

/** Calls `wake` when there may be work now, as {@link hasWork} says or because something is shown. */
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
    // The editor may have lost a change, or another window has made one.
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

/** Whether a document of the extension stands in a tab, or one is open in which it helps. */
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

/** Everything that servers are read from, and what a team has reviewed. */
function watchedFiles(context: TriggerContext): readonly string[] {
  const lockFiles = (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => vscode.Uri.joinPath(uri, lockFileName).fsPath);
  const files = sourceFiles(userConfigurationFile(context));
  return [...files.map(({ source }) => source.path), ...lockFiles];
}

/** Without waiting for the others: a keyring or a network folder may take its time. */
function isAny(looks: readonly Promise<boolean>[]): Promise<boolean> {
  const found = looks.map(async (look) => {
    if (!(await look)) throw new Error('There is nothing.');
    return true;
  });
  return Promise.any(found).catch(() => false);
}

/** Also what cannot be looked at is there: the reader says what is wrong with it. */
async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && isNothing(error.code));
  }
}

function isNothing(code: unknown): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function hasEntries(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).length > 0;
}

async function hasSignIns({ secrets }: TriggerContext): Promise<boolean> {
  try {
    return (await secrets.keys()).some((key) => key.startsWith(signInPrefix));
  } catch {
    // Nobody knows without a keyring; nothing is kept there either.
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

/** Whether it is a Markdown file that may hold calls; `core/callFiles/runbook.ts` knows. */
function isRunbook(document: vscode.TextDocument): boolean {
  if (document.languageId !== 'markdown' || document.uri.scheme !== 'file') return false;
  return /^[ \t]*(?:`{3,}|~{3,})[ \t]*mcpcall\b/m.test(
    document.getText().slice(0, maxRunbookChars),
  );
}

function isOurs({ input }: vscode.Tab): boolean {
  if (typeof input !== 'object' || input === null) return false;
  // It waits for whoever fills it, and asks nobody.
  if (input instanceof vscode.TabInputCustom && input.viewType === recordingEditor) return true;
  const uris: readonly unknown[] = Object.values(input);
  return uris.some((uri) => uri instanceof vscode.Uri && isOwnScheme(uri));
}

/** Every scheme of the extension begins with the same name. */
function isOwnScheme({ scheme: name }: vscode.Uri): boolean {
  return name === scheme || name.startsWith(`${scheme}-`);
}
