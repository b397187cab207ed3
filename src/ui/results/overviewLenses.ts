import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../../ids';
import { codeLens } from '../editor/codeLens';
import { markOwnArgument } from '../editor/ownArguments';
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

/** What can be done with the call itself, above its arguments. */
export function resultCallLenses(kept: KeptResult): vscode.CodeLens[] {
  const { argumentsLine } = kept.overview;
  return argumentsLine === undefined ? [] : lensesAt(argumentsLine, callActions(kept));
}

/** Again, with other arguments, into a file, beside another; none for what no call brought. */
export function callActions({ callId }: KeptResult): vscode.Command[] {
  if (callId === undefined) return [];
  const actions = [
    [l10n.t('$(debug-restart) Run Again'), commands.runAgain],
    [l10n.t('$(edit) Edit Arguments…'), commands.runAgainWithChanges],
    [l10n.t('Save as Call File'), commands.saveCall],
    [l10n.t('Compare with Past Call…'), commands.compareResults],
  ] as const;
  // The objects are known as ours: a press on one is the wish of the person.
  return actions.map(([title, command]) => ({
    title,
    command,
    arguments: [markOwnArgument({ callId })],
  }));
}

/** One line's lenses, a command each. */
export function lensesAt(line: number, actions: readonly vscode.Command[]): vscode.CodeLens[] {
  const range = new vscode.Range(line, 0, line, 0);
  return actions.map((action) => codeLens(range, action));
}
