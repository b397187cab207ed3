import * as vscode from 'vscode';
import { settlesWithin } from '../../core/stdio/settling';

/** Time for the participants of an auto save, such as a formatter. */
const autoSaveMs = 5_000;

/**
 * Saves the document. VS Code refuses to save while an auto save of the same document is beginning,
 * so that one is awaited. Resolves with false if the document still has unsaved changes.
 * @throws if the document is closed
 */
export async function saveDocument(document: vscode.TextDocument): Promise<boolean> {
  let listener: vscode.Disposable | undefined;
  const autoSaved = new Promise<void>((resolve) => {
    listener = vscode.workspace.onDidSaveTextDocument((saved) => {
      if (saved === document) resolve();
    });
  });
  try {
    if (await document.save()) return true;
    if (document.isDirty) await settlesWithin(autoSaved, autoSaveMs);
    return !document.isDirty;
  } finally {
    listener?.dispose();
  }
}
