import * as vscode from 'vscode';

/** VS Code draws no plain space behind the icon that a lens begins with. */
const iconAndSpace = /^(\$\([\w~-]+\)) /;

/** A press above a line; the words stand apart from the icon before them. */
export function codeLens(range: vscode.Range, command: vscode.Command): vscode.CodeLens {
  const title = command.title.replace(iconAndSpace, '$1\u00A0');
  return new vscode.CodeLens(range, { ...command, title });
}
