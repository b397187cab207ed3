import * as vscode from 'vscode';

/** Takes back all changes of documents: a setting cannot be written while its file has some. */
export async function revertDocuments(): Promise<void> {
  for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  }
}
