import * as vscode from 'vscode';
import { tell } from '../editor/messages';
import { quoted } from '../words/sentences';

/** Where typing most likely begins. */
export function selectFirstEmptyText(editor: vscode.TextEditor): void {
  const offset = editor.document.getText().indexOf(': ""');
  if (offset < 0) return;
  const place = editor.document.positionAt(offset + ': "'.length);
  editor.selection = new vscode.Selection(place, place);
}

/** Says that nothing was sent, and shows the first reason. */
export async function tellProblems(
  document: vscode.TextDocument,
  problems: readonly vscode.Diagnostic[],
): Promise<void> {
  const [first] = problems;
  if (first === undefined) return;
  const { start } = first.range;
  const selection = new vscode.Range(start, start);
  await vscode.window.showTextDocument(document, { preview: false, selection });
  const sentence =
    problems.length === 1
      ? vscode.l10n.t('Nothing was sent. {0}', quoted(first.message))
      : vscode.l10n.t(
          'Nothing was sent: {0} problems. The first one: {1}',
          problems.length,
          quoted(first.message),
        );
  tell('warning', sentence);
}
