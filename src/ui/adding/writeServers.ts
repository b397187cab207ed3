import * as vscode from 'vscode';
import { type Addition, changeOf, withAddition } from '../../host/adding/configurationAdditions';
import { readConfiguration } from '../../host/configuration/readConfiguration';
import type { RememberedInputs } from '../../host/secrets/rememberedInputs';
import { createFile, openConfigurationFile } from '../configuration/configurationFiles';
import { editOf } from '../configuration/fileEdits';
import { tell } from '../editor/messages';
import { placeOf, remember } from '../secrets/inputQuestions';
import { quoted } from '../format/sentences';
import { formatSource } from '../format/sentencesOfProblems';
import type { Target } from './targets';
import type { WritePreviews } from './writePreviews';

export interface WriteServersOptions {
  readonly previews: Pick<WritePreviews, 'ask'>;
  readonly remembered: RememberedInputs;
  /** Reads the configuration again. */
  readonly reload: () => Promise<void>;
}

export interface Writing {
  readonly target: Target;
  readonly addition: Addition;
  /** What inputs of the addition stand for, by their ids. */
  readonly values: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

/**
 * Shows what the file would become, and writes it after a yes: as an edit that one undo takes back,
 * saved unless the person has unsaved changes there. Secrets go into secret storage, never into the
 * file. Says itself what went wrong. Whether it was written.
 */
export async function writeServers(
  { target, addition, values, notes }: Writing,
  { previews, remembered, reload }: WriteServersOptions,
): Promise<boolean> {
  const before = await configurationTextOf(target.uri);
  const after = before === undefined ? undefined : withAddition(before, addition);
  if (before === undefined || after === undefined) {
    tellImpossible(target);
    return false;
  }
  const fileName = target.uri.path.split('/').at(-1) ?? 'mcp.json';
  const title = vscode.l10n.t('{0}: what will be written', formatSource(target.source));
  if (!(await previews.ask({ title, fileName, before, after, notes }))) return false;
  if ((await configurationTextOf(target.uri)) !== before) {
    const sentence = vscode.l10n.t(
      'Nothing was written: {0} has changed meanwhile. Try again.',
      formatSource(target.source),
    );
    tell('warning', sentence);
    return false;
  }
  const outcome = await write(target.uri, before, after);
  if (outcome === 'impossible') {
    tellImpossible(target);
    return false;
  }
  for (const [id, value] of values) {
    await remember(remembered, placeOf({ id, source: target.source }), true, value);
  }
  await openConfigurationFile(target.uri, ['servers', addition.servers[0]?.name ?? '']);
  await reload();
  if (outcome === 'saved') return true;
  const sentence = vscode.l10n.t(
    '{0} has other unsaved changes. Save it to add what was written.',
    formatSource(target.source),
  );
  tell('information', sentence);
  return false;
}

/** The text of a file as it is stored, or as it was changed in an editor; empty where there is none. `undefined`: not readable. */
export async function configurationTextOf(uri: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find(
    (each) => each.uri.toString() === uri.toString(),
  );
  // One without changes may not have heard yet that the file is another now.
  if (open !== undefined && !open.isClosed && open.isDirty) return open.getText();
  const read = await readConfiguration(uri.fsPath);
  return read.kind === 'text' ? read.text : read.kind === 'absent' ? '' : undefined;
}

async function write(
  uri: vscode.Uri,
  before: string,
  after: string,
): Promise<'saved' | 'unsaved' | 'impossible'> {
  await createFile(uri, '');
  let document: vscode.TextDocument;
  try {
    document = await vscode.workspace.openTextDocument(uri);
  } catch {
    // It could not be made.
    return 'impossible';
  }
  const wasDirty = document.isDirty;
  if (document.getText() !== before) return 'impossible';
  const edit = editOf(document, [changeOf(before, after)]);
  if (!(await vscode.workspace.applyEdit(edit))) return 'impossible';
  if (wasDirty) return 'unsaved';
  return (await document.save()) ? 'saved' : 'unsaved';
}

function tellImpossible({ uri, source }: Target): void {
  const sentence = vscode.l10n.t(
    'Nothing was added: {0} is not valid JSON, is read-only, or already has this server.',
    quoted(formatSource(source)),
  );
  tell('error', sentence, {
    title: vscode.l10n.t('Open File'),
    command: 'vscode.open',
    arguments: [uri],
  });
}
