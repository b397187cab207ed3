import * as l10n from '@vscode/l10n';
import { homedir } from 'node:os';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { isMcpError, McpError } from '../../core/errors';
import { saveFile, withoutProgress, type SaveProgress } from '../../host/storage/atomicWrite';
import { sizeOf, type StoredFile } from '../../host/results/resultStore';
import { isViewable } from '../../core/content/contentParts';
import { exists } from '../editor/configurationFiles';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { openingCommand, viewerOfPart } from '../editor/allowedEditors';
import type { ResultTarget } from './resultTargets';
import { formatSize } from '../format/formatFile';

/** Asks for the place to save to. Resolves to `undefined` if the user cancels. */
export interface SaveQuestions {
  /** Asks for a file. It must confirm before an existing file is overwritten. */
  readonly file: (proposed: vscode.Uri) => Promise<vscode.Uri | undefined>;
  /** Asks for a folder, where a new folder is created. */
  readonly folder: (proposed: vscode.Uri) => Promise<vscode.Uri | undefined>;
}

/** VS Code's own dialogs, which ask before a file is overwritten. */
const saveDialogs: SaveQuestions = {
  file: async (proposed) => {
    const extension = /\.(\w+)$/.exec(proposed.path)?.[1];
    const all = { [l10n.t('All files')]: ['*'] };
    return vscode.window.showSaveDialog({
      defaultUri: proposed,
      title: l10n.t('Save Result As'),
      filters: extension === undefined ? all : { [extension.toUpperCase()]: [extension], ...all },
    });
  },
  folder: async (proposed) => {
    const picked = await vscode.window.showOpenDialog({
      defaultUri: proposed,
      title: l10n.t('Folder for the new folder of the result'),
      openLabel: l10n.t('Save Here'),
      canSelectFolders: true,
      canSelectFiles: false,
    });
    return picked?.[0];
  },
};

/** Smaller files are saved before a notification would be noticed. */
const minShownBytes = 8 * 1024 * 1024;

/** Saves files of results where the user wants them, byte for byte. */
export class ResultSaving {
  readonly #questions: SaveQuestions;

  constructor(questions: SaveQuestions = saveDialogs) {
    this.#questions = questions;
  }

  /** Asks for the place, saves, and shows the outcome. */
  async saveAs({ kept, file, part }: ResultTarget): Promise<void> {
    // The number prefix only distinguishes the parts of one result.
    const name = part?.uri === undefined ? file.name : file.name.replace(/^\d+-/, '');
    const { facts, parts, entry } = kept;
    // The main part has the name of the tool already.
    const isOfSeveral =
      parts.length > 1 &&
      part !== undefined &&
      part.isMain !== true &&
      part.uri === undefined &&
      facts.origin.kind === 'call';
    const proposed = isOfSeveral ? `${posix.basename(entry.path)}-${name}` : name;
    const uri = await this.#questions.file(vscode.Uri.joinPath(folderToPropose(), proposed));
    if (uri === undefined) return;
    const isSaved = await this.#save(file.name, [{ file, uri }]);
    if (!isSaved) return;
    const sentence = l10n.t(
      'Saved “{0}”, {1}.',
      quoted(posix.basename(uri.path)),
      formatSize(await sizeOf(file)),
    );
    const isOpened = part === undefined || isViewable(part);
    const actions = isOpened ? [openingCommand(uri, viewerOfPart(part))] : [revealing(uri)];
    notify('information', sentence, ...actions);
  }

  /** Asks for a folder and saves every file of the result into a new folder inside it. */
  async saveAll({ kept }: ResultTarget): Promise<void> {
    const parent = await this.#questions.folder(folderToPropose());
    if (parent === undefined) return;
    const own = posix.basename(kept.entry.path);
    const folder = await freeFolder(parent, own);
    // Uses file names, because documents have other names.
    const overview = kept.entry.files.slice(0, 1);
    const wanted = [...overview, ...kept.parts.filter((part) => part.kind !== 'link')];
    const isSaved = await this.#save(
      own,
      wanted.map((file) => ({ file, uri: vscode.Uri.joinPath(folder, file.name) })),
    );
    if (!isSaved) return;
    const sentence = l10n.t(
      'Saved to the folder “{1}”. Files: {0}.',
      wanted.length,
      quoted(posix.basename(folder.path)),
    );
    notify('information', sentence, revealing(folder));
  }

  async #save(name: string, saved: readonly Saved[]): Promise<boolean> {
    const total = saved.reduce((sum, { file }) => sum + file.size, 0);
    const title = l10n.t('Saving “{0}”, {1}', quoted(name), formatSize(total));
    try {
      if (total < minShownBytes) await writeAll(saved);
      else await withProgress(title, total, (progress) => writeAll(saved, progress));
      return true;
    } catch (error) {
      // The user cancelled, so no message is needed.
      if (isMcpError(error, 'cancelled')) return false;
      const detail = error instanceof Error ? error.message : String(error);
      notify('error', l10n.t('“{0}” was not saved: “{1}”', quoted(name), quoted(detail)));
      return false;
    }
  }
}

function revealing(uri: vscode.Uri): vscode.Command {
  const command = uri.scheme === 'file' ? 'revealFileInOS' : 'revealInExplorer';
  return { title: l10n.t('Reveal'), command, arguments: [uri] };
}

interface Saved {
  readonly file: StoredFile;
  readonly uri: vscode.Uri;
}

async function writeAll(saved: readonly Saved[], progress = withoutProgress): Promise<void> {
  for (const { file, uri } of saved) {
    if (progress.token.isCancellationRequested) throw new McpError('cancelled');
    if (uri.scheme === 'file') {
      await saveFile(file.slices?.() ?? [await file.read()], uri.fsPath, progress);
    } else {
      // Other file systems accept only whole files.
      await vscode.workspace.fs.writeFile(uri, await file.read());
      progress.onWritten(file.size);
    }
  }
}

async function withProgress(
  title: string,
  total: number,
  work: (progress: SaveProgress) => Promise<void>,
): Promise<void> {
  const location = vscode.ProgressLocation.Notification;
  await vscode.window.withProgress({ location, title, cancellable: true }, (progress, token) => {
    const onWritten = (bytes: number) => progress.report({ increment: (bytes / total) * 100 });
    return work({ onWritten, token });
  });
}

function folderToPropose(): vscode.Uri {
  return vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
}

/** Creates and returns a folder that did not exist. */
async function freeFolder(parent: vscode.Uri, name: string): Promise<vscode.Uri> {
  for (let count = 1; ; count += 1) {
    const uri = vscode.Uri.joinPath(parent, count === 1 ? name : `${name}-${count}`);
    if (await exists(uri)) continue;
    await vscode.workspace.fs.createDirectory(uri);
    return uri;
  }
}
