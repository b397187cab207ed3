import * as vscode from 'vscode';
import { Debouncer } from './debouncer';

interface OpenDocumentProblemsOptions {
  /** Returns true for the documents whose problems are shown. */
  readonly isOurs: (document: vscode.TextDocument) => boolean;
  readonly find: (document: vscode.TextDocument) => readonly vscode.Diagnostic[];
  /** Events besides changes of documents that may change their problems. */
  readonly also: readonly ((listener: () => void) => { dispose(): unknown })[];
  /** Delay in milliseconds, because typing and starting servers cause many changes in a row. */
  readonly quietMs: number;
}

/** Shows the problems of one kind of documents while they are open. */
export class OpenDocumentProblems implements vscode.Disposable {
  readonly #options: OpenDocumentProblemsOptions;
  readonly #collection = vscode.languages.createDiagnosticCollection();
  readonly #quiet: Debouncer;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: OpenDocumentProblemsOptions) {
    this.#options = options;
    this.#quiet = new Debouncer(() => this.refresh(), options.quietMs);
    const later = (): void => this.#quiet.start();
    const laterIfOurs = (document: vscode.TextDocument): void => {
      if (options.isOurs(document)) later();
      else if (this.#collection.has(document.uri)) this.#collection.delete(document.uri);
    };
    this.#subscriptions = vscode.Disposable.from(
      this.#collection,
      ...options.also.map((event) => event(later)),
      vscode.workspace.onDidOpenTextDocument(laterIfOurs),
      vscode.workspace.onDidChangeTextDocument(({ document }) => laterIfOurs(document)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#collection.delete(uri)),
    );
    later();
  }

  /** Finds the problems of all open documents at once. */
  refresh(): void {
    for (const document of vscode.workspace.textDocuments) {
      if (document.isClosed || !this.#options.isOurs(document)) continue;
      this.#collection.set(document.uri, this.#options.find(document));
    }
  }

  dispose(): void {
    this.#quiet.dispose();
    this.#subscriptions.dispose();
  }
}
