import * as vscode from 'vscode';

/** True if a tab shows the document. */
export function isShownInTab(uri: vscode.Uri): boolean {
  return tabsOf(uri).length > 0;
}

/** Returns the open document. */
export function textDocumentOf(uri: vscode.Uri): vscode.TextDocument | undefined {
  const key = uri.toString();
  return vscode.workspace.textDocuments.find((one) => one.uri.toString() === key);
}

/** Closes the document's tabs without asking. Its content must be saved or worthless. */
export async function closeTabs(uri: vscode.Uri): Promise<void> {
  await vscode.window.tabGroups.close(tabsOf(uri));
}

/**
 * Fires when the last tab of a document of `scheme` is closed. VS Code keeps the document itself
 * for minutes after that.
 */
export function onDidCloseLastTab(
  scheme: string,
  listener: (uri: vscode.Uri) => void,
): vscode.Disposable {
  return vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
    for (const { input } of closed) {
      // A tab that moves to another group is closed in the first group.
      if (!(input instanceof vscode.TabInputText) || input.uri.scheme !== scheme) continue;
      if (!isShownInTab(input.uri)) listener(input.uri);
    }
  });
}

/** Returns all tabs of documents with this scheme, for example those that a reload restored. */
export function tabsOfScheme(scheme: string): vscode.Tab[] {
  return allTabs().filter(
    ({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === scheme,
  );
}

function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  const key = uri.toString();
  return tabsOfScheme(uri.scheme).filter(
    ({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === key,
  );
}

function allTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
}
