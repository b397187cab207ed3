import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../waiting';

/**
 * What VS Code proposes at the place in the document; asked until the proposal with this label is
 * there, because the language service reads schemas in its own time.
 */
export async function proposalsAt(
  document: vscode.TextDocument,
  offset: number,
  label: string,
): Promise<readonly vscode.CompletionItem[]> {
  const ask = async (): Promise<readonly vscode.CompletionItem[]> => {
    const list: unknown = await vscode.commands.executeCommand(
      'vscode.executeCompletionItemProvider',
      document.uri,
      document.positionAt(offset),
    );
    assert.ok(list instanceof Object && 'items' in list && Array.isArray(list.items));
    return list.items;
  };
  return eventually(ask, (items) => items.some((item) => item.label === label));
}
