import * as vscode from 'vscode';
import { eventually } from '../waiting';

/**
 * The lenses of a document, with their commands. VS Code forgets the commands 100 ms after it has the
 * lenses, so an answer that takes longer to come back has none and is asked for again.
 */
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
