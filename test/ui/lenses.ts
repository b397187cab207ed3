import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../waiting';

// VS Code forgets the commands of lenses and quick fixes 100 ms after it has them, so an answer that
// takes longer to come back has none and is asked for again.

/** The lenses of a document, with their commands. */
export async function lensesOf(uri: vscode.Uri): Promise<readonly vscode.CodeLens[]> {
  return eventually(
    () =>
      vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 100),
    (lenses) => lenses.every(({ command }) => command !== undefined),
  );
}

/** What they say, and what they run. */
export async function lensCommands(uri: vscode.Uri | undefined): Promise<vscode.Command[]> {
  const lenses = uri === undefined ? [] : await lensesOf(uri);
  return lenses.flatMap(({ command }) => command ?? []);
}

export async function lensTitles(uri: vscode.Uri): Promise<string[]> {
  return (await lensCommands(uri)).map(({ title }) => title);
}

/** Activates a lens, as a click does. */
export async function press(lens: vscode.Command | undefined): Promise<void> {
  assert.ok(lens);
  await vscode.commands.executeCommand(lens.command, ...(lens.arguments ?? []));
}

/** The links in a document. */
export async function linksOf(uri: vscode.Uri | undefined): Promise<vscode.DocumentLink[]> {
  return vscode.commands.executeCommand('vscode.executeLinkProvider', uri);
}

/** The quick fixes at a place, with their commands. */
export async function fixesOf(uri: vscode.Uri, range: vscode.Range): Promise<vscode.CodeAction[]> {
  const kind = vscode.CodeActionKind.QuickFix.value;
  return eventually(
    async (): Promise<vscode.CodeAction[]> =>
      vscode.commands.executeCommand('vscode.executeCodeActionProvider', uri, range, kind),
    (fixes) => fixes.every(({ command, edit }) => command !== undefined || edit !== undefined),
  );
}
