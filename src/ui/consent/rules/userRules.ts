import * as vscode from 'vscode';
import { changeOf } from '../../../host/adding/configurationAdditions';
import type { JsonObject } from '../../../core/json/jsonValue';
import { settings } from '../../../ids';
import { isUserSettings } from '../../configuration/userSettingsFile';
import { editOf } from '../../configuration/fileEdits';
import { readRuleSources } from '../../settings/ruleSettings';
import { hasCommentsInRules, withRule } from './ruleTexts';

/** Why a rule was not saved. */
export type UnsavedRule = 'unsavedChanges' | 'unreadable' | 'failed';

/** Opens the user settings at the rules. Not those of a remote machine: rules are the person's. */
export async function openUserSettings({ edit = false } = {}): Promise<void> {
  const key = `${settings.section}.${settings.rules}`;
  await vscode.commands.executeCommand('workbench.action.openSettingsJson', {
    revealSetting: { key, edit },
  });
}

/**
 * Writes a rule into the user settings, behind those that are there, as a person would: VS Code
 * would write the whole list anew, without its comments. `undefined` when it is saved.
 */
export async function saveUserRule(rule: JsonObject): Promise<UnsavedRule | undefined> {
  const wasOpen = settingsTab() !== undefined;
  await openUserSettings();
  const tab = settingsTab();
  if (tab === undefined) return 'failed';
  const problem = await writeRule(tab, rule);
  if (!wasOpen && !tab.isDirty) await vscode.window.tabGroups.close(tab);
  return problem;
}

async function writeRule(tab: vscode.Tab, rule: JsonObject): Promise<UnsavedRule | undefined> {
  // What the person is typing is not to be saved along with it.
  if (tab.isDirty) return 'unsavedChanges';
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || !isUserSettings(document.uri)) return updateList(tab, rule);
  const before = document.getText();
  const after = withRule(before, rule);
  if (after === undefined) return 'unreadable';
  const isEdited = await vscode.workspace.applyEdit(editOf(document, [changeOf(before, after)]));
  if (!isEdited) return updateList(tab, rule);
  return (await document.save()) ? undefined : 'failed';
}

/** Where the window has the document in a way that cannot be edited; not where comments would go. */
async function updateList(
  { input }: vscode.Tab,
  rule: JsonObject,
): Promise<UnsavedRule | undefined> {
  if (!(input instanceof vscode.TabInputText)) return 'failed';
  try {
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(input.uri));
    if (withRule(text, rule) === undefined) return 'unreadable';
    if (hasCommentsInRules(text)) return 'failed';
    const { user } = readRuleSources();
    const rules: readonly unknown[] = Array.isArray(user) ? user : [];
    await vscode.workspace
      .getConfiguration(settings.section)
      .update(settings.rules, [...rules, rule], vscode.ConfigurationTarget.Global);
    return undefined;
  } catch {
    // It cannot be read or written; the person is told.
    return 'failed';
  }
}

function settingsTab(): vscode.Tab | undefined {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .find(({ input }) => input instanceof vscode.TabInputText && isUserSettings(input.uri));
}
