import * as vscode from 'vscode';
import type { ResultKeeper } from './resultKeeper';

/** Marks the documents of a result that is an error, in tabs and breadcrumbs. */
export class ResultDecorations implements vscode.FileDecorationProvider, vscode.Disposable {
  readonly #keeper: ResultKeeper;
  readonly #subscription: vscode.Disposable;

  readonly #onDidChangeFileDecorations = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.#onDidChangeFileDecorations.event;

  constructor(keeper: ResultKeeper) {
    this.#keeper = keeper;
    this.#subscription = keeper.onDidChange((uris) => {
      this.#onDidChangeFileDecorations.fire([...uris]);
    });
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (this.#keeper.find(uri)?.facts.isError !== true) return undefined;
    const tooltip = vscode.l10n.t('The tool reported an error.');
    const color = new vscode.ThemeColor('list.errorForeground');
    return new vscode.FileDecoration('!', tooltip, color);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChangeFileDecorations.dispose();
  }
}
