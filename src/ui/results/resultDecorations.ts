import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { colors } from '../../ids';
import type { ResultDocuments } from './resultDocuments';
import { externalSentence } from './resultOverview';

/** Marks documents of results that are errors or may come from outside, in tabs and breadcrumbs. */
export class ResultDecorations implements vscode.FileDecorationProvider, vscode.Disposable {
  readonly #documents: ResultDocuments;
  readonly #subscription: vscode.Disposable;

  readonly #onDidChangeFileDecorations = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.#onDidChangeFileDecorations.event;

  constructor(documents: ResultDocuments) {
    this.#documents = documents;
    this.#subscription = documents.onDidChange((uris) => {
      this.#onDidChangeFileDecorations.fire([...uris]);
    });
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const facts = this.#documents.find(uri)?.facts;
    if (facts === undefined || !(facts.isError || facts.isExternal)) return undefined;
    // Used only where there is no lock, because VS Code shows either a lock or letters.
    const marks = [facts.isError ? '!' : '', facts.isExternal ? '↗' : ''];
    const tooltips = [
      ...(facts.isError ? [l10n.t('The tool reported an error.')] : []),
      ...(facts.isExternal ? [externalSentence()] : []),
    ];
    const color = facts.isError ? 'list.errorForeground' : colors.external;
    return new vscode.FileDecoration(
      marks.join(''),
      tooltips.join('\n'),
      new vscode.ThemeColor(color),
    );
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChangeFileDecorations.dispose();
  }
}
