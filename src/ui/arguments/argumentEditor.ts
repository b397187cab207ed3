import * as l10n from '@vscode/l10n';
import { visit } from 'jsonc-parser';
import * as vscode from 'vscode';
import { tell } from '../editor/messages';
import { quoted } from '../format/sentences';

/** Puts the cursor where typing most likely begins: into an empty text, else over the first value. */
export function selectFirstValue(editor: vscode.TextEditor): void {
  const text = editor.document.getText();
  let empty: number | undefined;
  let first: { readonly offset: number; readonly length: number } | undefined;
  visit(text, {
    onLiteralValue: (value, offset, length) => {
      first ??= { offset, length };
      if (value === '') empty ??= offset + 1;
    },
  });
  const place = empty === undefined ? first : { offset: empty, length: 0 };
  if (place === undefined) return;
  const { offset, length } = place;
  const { document } = editor;
  editor.selection = new vscode.Selection(
    document.positionAt(offset),
    document.positionAt(offset + length),
  );
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
      ? l10n.t('Not sent. {0}', quoted(first.message))
      : l10n.t('Not sent: {0} problems. The first: {1}', problems.length, quoted(first.message));
  tell('warning', sentence);
}
