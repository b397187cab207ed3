import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../../../ids';
import { readRuleSources } from '../../settings/ruleSettings';
import { readRules } from './ruleDocuments';
import { openUserSettings } from './userRules';

/**
 * Opens the settings at the rules. If there are none, VS Code inserts an unsaved empty list and
 * completes rules in it. Nothing is added to existing rules.
 */
export async function openRules(): Promise<void> {
  const { user } = readRuleSources();
  await openUserSettings({ edit: user === undefined || isEmptyList(user) });
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** A lens above the setting tries the rules. */
export function rulesLenses(document: vscode.TextDocument): vscode.CodeLens[] {
  const range = readRules(document)?.keyRange;
  if (range === undefined) return [];
  const title = l10n.t('Try on past calls');
  const command = { title, command: commands.tryRules, arguments: [document.uri.toString()] };
  return [new vscode.CodeLens(range, command)];
}
