import * as vscode from 'vscode';
import type { KeptResult, ResultDocuments } from './resultDocuments';

/** Lenses on the overviews of results, anew whenever results come or go. */
export class OverviewLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #documents: ResultDocuments;
  readonly #lensesOf: (kept: KeptResult) => readonly vscode.CodeLens[];
  readonly #subscription: vscode.Disposable;

  readonly #onDidChangeCodeLenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#onDidChangeCodeLenses.event;

  constructor(
    documents: ResultDocuments,
    lensesOf: (kept: KeptResult) => readonly vscode.CodeLens[],
  ) {
    this.#documents = documents;
    this.#lensesOf = lensesOf;
    this.#subscription = documents.onDidChange(() => this.#onDidChangeCodeLenses.fire());
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const kept = this.#documents.ofOverview(uri);
    return kept === undefined ? [] : [...this.#lensesOf(kept)];
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChangeCodeLenses.dispose();
  }
}

/** One line's lenses, a command each. */
export function lensesAt(line: number, commands: readonly vscode.Command[]): vscode.CodeLens[] {
  const range = new vscode.Range(line, 0, line, 0);
  return commands.map((command) => new vscode.CodeLens(range, command));
}
