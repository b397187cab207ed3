import * as vscode from 'vscode';
import { rangeOf } from '../editor/textPlaces';
import type { TextEdit } from '../../host/adding/configurationEdits';

/** Returns a workspace edit with these edits of the document, so that one undo takes all back. */
export function workspaceEditOf(
  document: vscode.TextDocument,
  edits: readonly TextEdit[],
): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const each of edits) edit.replace(document.uri, rangeOf(document, each), each.text);
  return edit;
}
