import * as vscode from 'vscode';

/** Whether any tab shows the document. */
export function isShownInTab(uri: vscode.Uri): boolean {
  return tabsOf(uri).length > 0;
}

/** The document as far as VS Code holds it. */
export function textDocumentOf(uri: vscode.Uri): vscode.TextDocument | undefined {
  const key = uri.toString();
  return vscode.workspace.textDocuments.find((one) => one.uri.toString() === key);
}

/** Closes the document's tabs without a question; what it holds must be saved or worthless. */
export async function closeTabs(uri: vscode.Uri): Promise<void> {
  await vscode.window.tabGroups.close(tabsOf(uri));
}

/**
 * Tells when the last tab of a document of `scheme` went away. Documents themselves live on in the
 * editor for minutes after nobody sees them any more.
 */
export function onDidCloseLastTab(
  scheme: string,
  listener: (uri: vscode.Uri) => void,
): vscode.Disposable {
  return vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
    for (const { input } of closed) {
      // A tab that moves to another group is closed in the first.
      if (!(input instanceof vscode.TabInputText) || input.uri.scheme !== scheme) continue;
      if (!isShownInTab(input.uri)) listener(input.uri);
    }
  });
}

/** All tabs of documents with this scheme, such as those that a reload brought back. */
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
