import * as vscode from 'vscode';
import { changeOf } from '../../../host/adding/configurationAdditions';
import type { JsonObject } from '../../../core/json/jsonValue';
import { isSameJson } from '../../../core/json/sameJson';
import { settlesWithin } from '../../../core/stdio/settling';
import { settings } from '../../../ids';
import { isUserSettings } from '../../configuration/userSettingsFile';
import { editOf } from '../../configuration/fileEdits';
import { readFileOf } from '../../editor/readFileOf';
import { readRuleSources } from '../../settings/ruleSettings';
import { changedRules, hasCommentsInRules, withRuleChange, type RuleChange } from './ruleTexts';

/** User settings are smaller by far. */
const maxSettingsBytes = 4 * 1024 * 1024;

/** VS Code hears of its own file from a watcher; where it has none, it never does. */
const hearingMs = 5_000;

/** Why a rule does not count: it was not saved, or it is saved and VS Code has not read it. */
export type RuleFailure = 'unsavedChanges' | 'unreadable' | 'failed' | 'notRead';

/** Opens the user settings at the rules. Not those of a remote machine: rules are the person's. */
export async function openUserSettings({ edit = false } = {}): Promise<void> {
  const key = `${settings.section}.${settings.rules}`;
  await vscode.commands.executeCommand('workbench.action.openSettingsJson', {
    revealSetting: { key, edit },
  });
}

/**
 * Writes a rule into the user settings, behind those that are there, as a person would: VS Code
 * would write the whole list anew, without its comments. `undefined` when it counts.
 */
export function saveUserRule(rule: JsonObject): Promise<RuleFailure | undefined> {
  return changeUserRules({ rule, replaces: () => false });
}

/** The same for a rule that takes the place of others, and for others that only go. */
export async function changeUserRules(change: RuleChange): Promise<RuleFailure | undefined> {
  const wasOpen = settingsTab() !== undefined;
  await openUserSettings();
  const tab = settingsTab();
  if (tab === undefined) return 'failed';
  const problem = await writeRules(tab, change);
  if (!wasOpen && !tab.isDirty) await vscode.window.tabGroups.close(tab);
  return problem ?? ((await isReadWithin(change, hearingMs)) ? undefined : 'notRead');
}

/** Whether the settings are as they are after the change, now or when VS Code has read its file. */
export async function isReadWithin(change: RuleChange, ms: number): Promise<boolean> {
  const isRead = (): boolean => {
    const { user = [] } = readRuleSources();
    if (!Array.isArray(user)) return false;
    const rules: readonly unknown[] = user;
    const isWanted = (rule: unknown): boolean => isSameJson(rule, change.rule);
    return (
      (change.rule === undefined || rules.some(isWanted)) &&
      rules.every((rule) => !change.replaces(rule) || isWanted(rule))
    );
  };
  if (isRead()) return true;
  let listener: vscode.Disposable | undefined;
  const heard = new Promise<void>((resolve) => {
    listener = vscode.workspace.onDidChangeConfiguration(() => isRead() && resolve());
  });
  await settlesWithin(heard, ms);
  listener?.dispose();
  return isRead();
}

async function writeRules(tab: vscode.Tab, change: RuleChange): Promise<RuleFailure | undefined> {
  // What the person is typing is not to be saved along with it.
  if (tab.isDirty) return 'unsavedChanges';
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || !isUserSettings(document.uri)) return updateList(tab, change);
  const before = document.getText();
  const after = withRuleChange(before, change);
  if (after === undefined) return 'unreadable';
  if (after === before) return undefined;
  const isEdited = await vscode.workspace.applyEdit(editOf(document, [changeOf(before, after)]));
  if (!isEdited) return updateList(tab, change);
  return (await document.save()) ? undefined : 'failed';
}

/** Where the window has the document in a way that cannot be edited; not where comments would go. */
async function updateList(
  { input }: vscode.Tab,
  change: RuleChange,
): Promise<RuleFailure | undefined> {
  if (!(input instanceof vscode.TabInputText)) return 'failed';
  try {
    const text = new TextDecoder().decode(await readFileOf(input.uri, maxSettingsBytes));
    if (withRuleChange(text, change) === undefined) return 'unreadable';
    if (hasCommentsInRules(text)) return 'failed';
    const { user, machine } = readRuleSources();
    // Then VS Code would write into the settings of the remote machine, in which nothing allows a call.
    if (machine !== undefined) return 'failed';
    const rules: readonly unknown[] = Array.isArray(user) ? user : [];
    await vscode.workspace
      .getConfiguration(settings.section)
      .update(settings.rules, changedRules(rules, change), vscode.ConfigurationTarget.Global);
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
