import * as vscode from 'vscode';

/**
 * Where the folders of the workspace are on the disk. Asked with every call, for which VS Code would
 * make the list anew each time.
 */
export class WorkspacePlaces implements vscode.Disposable {
  #known: readonly string[] | undefined;
  readonly #subscription = vscode.workspace.onDidChangeWorkspaceFolders(
    () => (this.#known = undefined),
  );

  /** Their paths; without those that are on no disk. */
  all(): readonly string[] {
    return (this.#known ??= (vscode.workspace.workspaceFolders ?? [])
      .filter(({ uri }) => uri.scheme === 'file')
      .map(({ uri }) => uri.fsPath));
  }

  /** None as long as the workspace is not trusted. */
  trusted(): readonly string[] {
    return vscode.workspace.isTrusted ? this.all() : [];
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
