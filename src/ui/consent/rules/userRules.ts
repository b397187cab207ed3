import * as vscode from 'vscode';
import { smallestEdit } from '../../../host/adding/configurationAdditions';
import type { JsonObject } from '../../../core/json/jsonValue';
import { isSameJson } from '../../../core/json/shapes';
import { settings } from '../../../ids';
import { isUserSettings } from '../../editor/configurationSources';
import { workspaceEditOf } from '../../configuration/fileEdits';
import { readFileOf } from '../../editor/readableDocument';
import { readRuleSources } from '../../settings/settings';
import { changedRules, hasCommentsInRules, withRuleChange, type RuleChange } from './ruleTexts';
import { isSoWithin } from '../../editor/isSoWithin';
import { saveDocument } from '../../editor/savedDocument';

/** User settings are much smaller. */
const maxSettingsBytes = 4 * 1024 * 1024;

/** VS Code learns of changes in its own file from a watcher. Without one it never does. */
const hearingMs = 5_000;

/** Why a rule has no effect: it was not saved, or VS Code has not read it yet. */
export type RuleFailure = 'unsavedChanges' | 'unreadable' | 'failed' | 'notRead';

/**
 * Opens the user settings at the rules. It avoids the settings of a remote machine, because rules
 * belong to the user.
 */
export async function openUserSettings({ edit = false } = {}): Promise<void> {
  const key = `${settings.section}.${settings.rules}`;
  await vscode.commands.executeCommand('workbench.action.openSettingsJson', {
    revealSetting: { key, edit },
  });
}

/**
 * Adds a rule to the user settings as text. VS Code's own API would rewrite the whole list without
 * its comments. Resolves with `undefined` on success.
 */
export function saveUserRule(rule: JsonObject): Promise<RuleFailure | undefined> {
  return changeUserRules({ rule, replaces: () => false });
}

/** Does the same for replacing or removing rules. */
export async function changeUserRules(change: RuleChange): Promise<RuleFailure | undefined> {
  const wasOpen = settingsTab() !== undefined;
  await openUserSettings();
  const tab = settingsTab();
  if (tab === undefined) return 'failed';
  const problem = await writeRules(tab, change);
  if (!wasOpen && !tab.isDirty) await vscode.window.tabGroups.close(tab);
  return problem ?? ((await isAppliedWithin(change, hearingMs)) ? undefined : 'notRead');
}

/** Resolves with true if the settings have the changed value now or within `ms`. */
export function isAppliedWithin(change: RuleChange, ms: number): Promise<boolean> {
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
  return isSoWithin(ms, vscode.workspace.onDidChangeConfiguration, isRead);
}

async function writeRules(tab: vscode.Tab, change: RuleChange): Promise<RuleFailure | undefined> {
  // The user's unsaved edits must not be saved with it.
  if (tab.isDirty) return 'unsavedChanges';
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || !isUserSettings(document.uri)) return updateList(tab, change);
  const before = document.getText();
  const after = withRuleChange(before, change);
  if (after === undefined) return 'unreadable';
  if (after === before) return undefined;
  const isEdited = await vscode.workspace.applyEdit(
    workspaceEditOf(document, [smallestEdit(before, after)]),
  );
  if (!isEdited) return updateList(tab, change);
  return (await saveDocument(document)) ? undefined : 'failed';
}

/** Uses VS Code's API if the document cannot be edited as text and no comments would be lost. */
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
    // VS Code would write into the settings of the remote machine, where no rule may allow a call.
    if (machine !== undefined) return 'failed';
    const rules: readonly unknown[] = Array.isArray(user) ? user : [];
    await vscode.workspace
      .getConfiguration(settings.section)
      .update(settings.rules, changedRules(rules, change), vscode.ConfigurationTarget.Global);
    return undefined;
  } catch {
    // The file cannot be read or written; the caller tells the user.
    return 'failed';
  }
}

function settingsTab(): vscode.Tab | undefined {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .find(({ input }) => input instanceof vscode.TabInputText && isUserSettings(input.uri));
}
