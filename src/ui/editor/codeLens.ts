import * as vscode from 'vscode';

/** VS Code collapses a plain space after an icon at the start of a lens. */
const iconAndSpace = /^(\$\([\w~-]+\)) /;

/** Creates a code lens whose text keeps its distance from the icon before it. */
export function codeLens(range: vscode.Range, command: vscode.Command): vscode.CodeLens {
  const title = command.title.replace(iconAndSpace, '$1\u00A0');
  return new vscode.CodeLens(range, { ...command, title });
}
