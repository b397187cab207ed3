import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../../ids';
import { codeLens } from '../editor/textPlaces';
import { markOwnArgument } from '../editor/ownArguments';
import type { StoredResult } from './resultDocuments';

/** Actions on the call itself, above its arguments. */
export function resultCallLenses(kept: StoredResult): vscode.CodeLens[] {
  const { argumentsLine } = kept.overview;
  return argumentsLine === undefined ? [] : lensesAt(argumentsLine, callActions(kept));
}

/** Run again, edit, save and compare. Empty if the result does not come from a call. */
export function callActions({ callId }: StoredResult): vscode.Command[] {
  if (callId === undefined) return [];
  const actions = [
    [l10n.t('$(debug-restart) Run Again'), commands.runAgain],
    [l10n.t('$(edit) Edit Arguments…'), commands.runAgainWithChanges],
    [l10n.t('Save as Call File'), commands.saveCall],
    [l10n.t('Compare with Past Call…'), commands.compareResults],
  ] as const;
  // The arguments are marked as the extension's own, so selecting one counts as the user's choice.
  return actions.map(([title, command]) => ({
    title,
    command,
    arguments: [markOwnArgument({ callId })],
  }));
}

/** One lens per command, all on one line. */
export function lensesAt(line: number, actions: readonly vscode.Command[]): vscode.CodeLens[] {
  const range = new vscode.Range(line, 0, line, 0);
  return actions.map((action) => codeLens(range, action));
}
