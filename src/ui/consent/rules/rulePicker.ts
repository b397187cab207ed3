import * as l10n from '@vscode/l10n';
import type { JsonObject } from '../../../core/json/jsonValue';
import { visibleText, escapeIcons } from '../../../core/visibleText';
import { commands } from '../../../ids';
import { notify } from '../../editor/messages';
import { chosenItem, createPicker, type ChoiceItem } from '../../editor/picker';
import type { RuleFailure } from './userRules';

/** A longer rule is not readable in a list. A permission can still be given. */
export const maxRuleChars = 400;

export interface RuleChoice<Choice> {
  readonly label: string;
  readonly description?: string;
  /** The rule as it will be written. Absent if none will be. */
  readonly rule?: JsonObject | undefined;
  /** Text below the label if there is no rule. */
  readonly detail?: string;
  readonly choice: Choice;
}

export interface RuleChoices<Choice> {
  readonly title: string;
  readonly placeholder: string;
  readonly choices: readonly RuleChoice<Choice>[];
}

/** Shows each rule as it will be written, and the rule of the focused row in full. */
export async function pickRule<Choice>({
  title,
  placeholder,
  choices,
}: RuleChoices<Choice>): Promise<Choice | undefined> {
  const items = choices.map((choice) => ({
    label: escapeIcons(choice.label),
    ...(choice.description === undefined ? {} : { description: escapeIcons(choice.description) }),
    detail: escapeIcons(choice.rule === undefined ? (choice.detail ?? '') : ruleText(choice.rule)),
    choice,
  }));
  // A dialog that was open before takes the focus away as it closes.
  const look = { title, placeholder, ignoreFocusOut: true, items };
  const pick = createPicker<ChoiceItem<RuleChoice<Choice>>>(look);
  const showRule = (): void => {
    const [active] = pick.activeItems;
    const rule = active?.choice?.rule;
    pick.prompt = rule === undefined ? undefined : ruleText(rule);
  };
  pick.onDidChangeActive(showRule);
  return (await chosenItem(pick))?.choice;
}

/** Returns a rule as it will be written, in one line. */
export function ruleText(rule: JsonObject): string {
  return visibleText(JSON.stringify(rule), maxRuleChars);
}

/** `problem` says why the rule has no effect. Absent if it has. */
export function notifySavedRule(problem: RuleFailure | undefined): void {
  const open = { title: l10n.t('Open Rules'), command: commands.openRules };
  switch (problem) {
    case undefined:
      return notify('information', l10n.t('The rule was saved in your user settings.'), open);
    case 'notRead':
      return notify(
        'warning',
        l10n.t(
          'The rule was saved, but VS Code has not read its settings again. Reload the window to apply it.',
        ),
        { title: l10n.t('Reload Window'), command: 'workbench.action.reloadWindow' },
      );
    case 'unsavedChanges':
      return notify(
        'warning',
        l10n.t('Save your user settings first. They have unsaved changes.'),
        open,
      );
    case 'unreadable':
      return notify(
        'warning',
        l10n.t('The rule was not saved because the rules in your user settings cannot be read.'),
        open,
      );
    case 'failed':
      return notify('error', l10n.t('The rule could not be saved in your user settings.'), open);
  }
}
