import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  type Addition,
  smallestEdit,
  withAddition,
} from '../../host/adding/configurationAdditions';
import { type ConfigFormat, serversKey } from '../../host/configuration/configurationFormats';
import { readConfiguration } from '../../host/configuration/readConfiguration';
import { createFile, exists, openConfigurationFile } from '../editor/configurationFiles';
import { workspaceEditOf } from '../configuration/fileEdits';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import type { WritePreviews } from './writePreviews';
import { isSoWithin } from '../editor/isSoWithin';
import { saveDocument } from '../editor/savedDocument';

/** VS Code learns of a changed file by a watcher, which batches its events. */
const hearingMs = 5_000;

/** A file of servers, ours or another client's. It need not exist. */
interface AddedFile {
  readonly uri: vscode.Uri;
  /** Its name in messages. */
  readonly name: string;
  readonly format: ConfigFormat;
}

interface AdditionToFile {
  readonly file: AddedFile;
  readonly addition: Addition;
  /** Sentences that the user should read first. */
  readonly notes: readonly string[];
}

/**
 * Previews the change of the file and writes it after confirmation. The write is one edit that one
 * undo takes back. It is saved unless the user has unsaved changes there. Shows a message if it
 * fails. Returns `undefined` if nothing was written.
 */
export async function writeAddition(
  { file, addition, notes }: AdditionToFile,
  previews: Pick<WritePreviews, 'ask'>,
): Promise<'saved' | 'unsaved' | undefined> {
  const { uri, name, format } = file;
  const before = await configurationTextOf(uri);
  const after = before === undefined ? undefined : withAddition(before, addition, format);
  if (before === undefined || after === undefined) {
    notifyImpossible(file);
    return undefined;
  }
  const fileName = uri.path.split('/').at(-1) ?? 'mcp.json';
  const title = l10n.t('{0}: Preview of Changes', name);
  if (!(await previews.ask({ title, fileName, before, after, notes }))) return undefined;
  if ((await configurationTextOf(uri)) !== before) {
    const sentence = l10n.t(
      'Nothing was written because {0} has changed. Try again.',
      quoted(name),
    );
    notify('warning', sentence);
    return undefined;
  }
  const outcome = await writeTexts([{ uri, before, after }]);
  if (outcome === 'impossible') {
    notifyImpossible(file);
    return undefined;
  }
  await openConfigurationFile(uri, [serversKey(format), addition.servers[0]?.name ?? '']);
  if (outcome === 'unsaved') {
    const sentence = l10n.t(
      '{0} has other unsaved changes. Save it to keep the new entry.',
      quoted(name),
    );
    notify('information', sentence);
  }
  return outcome;
}

/**
 * Returns the text of a file on disk or of its unsaved editor, and an empty text if there is no
 * file. Returns `undefined` if it cannot be read.
 */
export async function configurationTextOf(uri: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find(
    (each) => each.uri.toString() === uri.toString(),
  );
  // A document without changes may be older than the file.
  if (open !== undefined && !open.isClosed && open.isDirty) return open.getText();
  const read = await readConfiguration(uri.fsPath);
  return read.kind === 'text' ? read.text : read.kind === 'absent' ? '' : undefined;
}

/** The text of a file before and after a change. */
export interface ChangedText {
  readonly uri: vscode.Uri;
  readonly before: string;
  readonly after: string;
}

type WriteOutcome = 'saved' | 'unsaved' | 'impossible';

/**
 * Writes all texts in one edit, which one undo takes back, if every file still has the text before.
 * Saves the files in which the user has no other changes. If it is impossible, no file is left that
 * was not there before.
 */
export async function writeTexts(changes: readonly ChangedText[]): Promise<WriteOutcome> {
  const created: vscode.Uri[] = [];
  const outcome = await writeOrCreate(changes, created);
  if (outcome !== 'impossible') return outcome;
  for (const uri of created) {
    // Other programs cannot read an empty one.
    await vscode.workspace.fs.delete(uri).then(undefined, () => undefined);
  }
  return outcome;
}

async function writeOrCreate(
  changes: readonly ChangedText[],
  created: vscode.Uri[],
): Promise<WriteOutcome> {
  const edit = new vscode.WorkspaceEdit();
  const saved: vscode.TextDocument[] = [];
  for (const { uri, before, after } of changes) {
    if (!(await exists(uri))) created.push(uri);
    await createFile(uri, '');
    let document: vscode.TextDocument;
    try {
      document = await vscode.workspace.openTextDocument(uri);
    } catch {
      // The file could not be created.
      return 'impossible';
    }
    if (!document.isDirty) {
      // VS Code may still have to reload a file that has changed.
      const { onDidChangeTextDocument } = vscode.workspace;
      await isSoWithin(hearingMs, onDidChangeTextDocument, () => document.getText() === before);
      saved.push(document);
    }
    if (document.getText() !== before) return 'impossible';
    edit.set(uri, workspaceEditOf(document, [smallestEdit(before, after)]).get(uri));
  }
  if (!(await vscode.workspace.applyEdit(edit))) return 'impossible';
  let isSaved = saved.length === changes.length;
  for (const document of saved) if (!(await saveDocument(document))) isSaved = false;
  return isSaved ? 'saved' : 'unsaved';
}

function notifyImpossible({ uri, name }: AddedFile): void {
  const sentence = l10n.t(
    'Nothing was added: {0} is not valid JSON, is read-only, or already has this server.',
    quoted(name),
  );
  notify('error', sentence, {
    title: l10n.t('Open File'),
    command: 'vscode.open',
    arguments: [uri],
  });
}
