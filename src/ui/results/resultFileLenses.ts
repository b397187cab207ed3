import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { lensesAt } from './overviewLenses';
import type { ResultFileCommands } from './resultFileCommands';
import type { StoredResult, ResultDocuments } from './resultDocuments';

/** Lenses to save and compare, on the overview of a result and on each of its parts. */
export function resultFileLenses(
  kept: StoredResult,
  documents: ResultDocuments,
  commands: ResultFileCommands,
): vscode.CodeLens[] {
  const { overview, overviewUri, parts } = kept;
  const saveAs = { title: l10n.t('Save As…'), command: commands.saveAs };
  const saveAll = { title: l10n.t('Save All…'), command: commands.saveAll };
  const compare = { title: l10n.t('Compare…'), command: commands.compare };
  const at = (line: number, uri: vscode.Uri, save: vscode.Command): vscode.CodeLens[] =>
    lensesAt(
      line,
      [save, compare].map((command) => ({ ...command, arguments: [uri] })),
    );
  const ofParts = overview.places.flatMap(({ part, line, isHeading }) =>
    isHeading && part.kind !== 'link' ? at(line, documents.partUri(kept, part), saveAs) : [],
  );
  const hasFiles = parts.some(({ kind }) => kind !== 'link');
  return hasFiles ? [...at(0, overviewUri, saveAll), ...ofParts] : ofParts;
}
