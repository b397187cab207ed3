import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { diagnosisScheme, internalCommands } from '../../ids';

interface Shown {
  text: string;
  cancel: (() => void) | undefined;
}

/** A running diagnosis and its document. */
export interface ShownDiagnosis {
  readonly write: (text: string) => void;
  /** Sets the final text. The diagnosis can no longer be cancelled. */
  readonly end: (text: string) => void;
}

/** Steps that end within this time cause one refresh. */
const gatheringMs = 100;

/** Diagnoses as read-only documents that grow while they are open. */
export class DiagnosisDocuments
  implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable
{
  readonly #shown = new Map<string, Shown>();
  readonly #disposables: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;
  readonly #onDidChangeCodeLenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#onDidChangeCodeLenses.event;

  constructor() {
    const scheme = diagnosisScheme;
    this.#disposables = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.languages.registerCodeLensProvider({ scheme }, this),
      this.#onDidChange,
      this.#onDidChangeCodeLenses,
    );
  }

  /** Registers the commands above a document. */
  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand(internalCommands.copyDiagnosis, (path: unknown) =>
        this.#copy(path),
      ),
      vscode.commands.registerCommand(internalCommands.cancelDiagnosis, (path: unknown) =>
        this.#find(path)?.cancel?.(),
      ),
    );
  }

  /**
   * Uses the document for a new diagnosis. A diagnosis that still uses it is cancelled and writes
   * no more.
   */
  open(uri: vscode.Uri, cancel: () => void): ShownDiagnosis {
    this.#shown.get(uri.path)?.cancel?.();
    const shown: Shown = { text: '', cancel };
    this.#shown.set(uri.path, shown);
    const write = (text: string): void => {
      if (this.#shown.get(uri.path) !== shown) return;
      shown.text = text;
      this.#announce(uri);
    };
    const end = (text: string): void => {
      shown.cancel = undefined;
      write(text);
    };
    return { write, end };
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#shown.get(uri.path)?.text ?? l10n.t('This diagnosis has ended. Run it again.');
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const shown = this.#shown.get(uri.path);
    if (shown === undefined) return [];
    const top = new vscode.Range(0, 0, 0, 0);
    const lens = (title: string, command: string) =>
      new vscode.CodeLens(top, { title, command, arguments: [uri.path] });
    const copy = lens(l10n.t('Copy'), internalCommands.copyDiagnosis);
    return shown.cancel === undefined
      ? [copy]
      : [lens(l10n.t('Cancel'), internalCommands.cancelDiagnosis), copy];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const { cancel } of this.#shown.values()) cancel?.();
    this.#disposables.dispose();
  }

  #announce(uri: vscode.Uri): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const path of this.#shown.keys()) this.#onDidChange.fire(uri.with({ path }));
      this.#onDidChangeCodeLenses.fire();
    }, gatheringMs);
  }

  async #copy(path: unknown): Promise<void> {
    const shown = this.#find(path);
    if (shown !== undefined) await vscode.env.clipboard.writeText(shown.text);
  }

  #find(path: unknown): Shown | undefined {
    return typeof path === 'string' ? this.#shown.get(path) : undefined;
  }
}
