import * as vscode from 'vscode';
import type { TextEdit } from './configurationEdits';

/** Returns a workspace edit with these edits of the document, so that one undo takes all back. */
export function workspaceEditOf(
  document: vscode.TextDocument,
  edits: readonly TextEdit[],
): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const { offset, length, text } of edits) {
    const end = document.positionAt(offset + length);
    edit.replace(document.uri, new vscode.Range(document.positionAt(offset), end), text);
  }
  return edit;
}
