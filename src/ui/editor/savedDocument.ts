import * as vscode from 'vscode';
import { isSoWithin } from './isSoWithin';

/** Time for the participants of an auto save, such as a formatter. */
const autoSaveMs = 5_000;

/**
 * Saves the document. VS Code refuses to save while an auto save of the same document is beginning,
 * so that one is awaited. Resolves with false if the document still has unsaved changes.
 * @throws if the document is closed
 */
export async function saveDocument(document: vscode.TextDocument): Promise<boolean> {
  if (await document.save()) return true;
  return isSoWithin(autoSaveMs, vscode.workspace.onDidSaveTextDocument, () => !document.isDirty);
}
