import * as vscode from 'vscode';
import { commands, settings } from '../../../ids';
import { readRules } from './ruleDocuments';

/** At the setting, if there is one; nothing is added to what a person wrote. */
export async function openRules(): Promise<void> {
  const key = `${settings.section}.${settings.rules}`;
  // Not the settings of a remote machine: rules are the person's, wherever servers run.
  await vscode.commands.executeCommand('workbench.action.openSettingsJson', {
    revealSetting: { key, edit: false },
  });
}

/** Trying them, above the setting. */
export function rulesLenses(document: vscode.TextDocument): vscode.CodeLens[] {
  const range = readRules(document)?.keyRange;
  if (range === undefined) return [];
  const title = vscode.l10n.t('Try on past calls');
  const command = { title, command: commands.tryRules, arguments: [document.uri.toString()] };
  return [new vscode.CodeLens(range, command)];
}
