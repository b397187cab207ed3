import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isSeveral, toListValues } from '../../core/arguments/fieldDrafts';
import { isAllowedCount, type ListField } from '../../core/arguments/inputField';
import { ask, withNote, type FieldStep, type StepAnswer } from './fieldStep';
import type { TextJudge, ValueJudge } from './fieldSteps';
import { choiceLabel, choicePlaceholder, formatItemCount } from './formatField';

interface LineItem extends vscode.QuickPickItem {
  /** Index of the line. The first row has none: it adds a line or continues. */
  readonly index?: number;
}

/**
 * Asks for any number of lines. Enter adds the typed line; Enter without text continues. Picking a
 * line moves it back into the input to be changed.
 */
export async function askList(
  field: ListField,
  step: FieldStep,
  { problemOf, doubtOf }: TextJudge,
  violationOf: ValueJudge,
): Promise<StepAnswer> {
  const pick = vscode.window.createQuickPick<LineItem>();
  const begin = isSeveral(step.draft) ? step.draft : { values: field.defaults ?? [] };
  const lines = [...begin.values];
  pick.value = begin.typed ?? '';
  pick.placeholder = choicePlaceholder(field);
  const words = withNote(step, formatItemCount(field));
  const say = (problem?: string): void => {
    pick.prompt = problem ?? words;
  };
  const show = (): void => {
    pick.items = [firstItem(pick.value, lines.length, doubtOf), ...lines.map(toItem)];
    pick.activeItems = pick.items.slice(0, 1);
  };
  const add = (): void => {
    const problem = problemOf(pick.value);
    if (problem !== undefined) {
      say(problem);
      return;
    }
    lines.push(pick.value);
    pick.value = '';
    say();
    show();
  };
  const problemOfAll = (): string | undefined => {
    if (lines.length === 0 && !field.required) return undefined;
    if (!isAllowedCount(field, lines.length)) return words;
    return violationOf(toListValues(field, lines));
  };
  say();
  show();
  return ask(pick, step, (settle) => {
    pick.onDidChangeValue(() => {
      say(pick.value === '' ? undefined : problemOf(pick.value));
      show();
    });
    pick.onDidTriggerItemButton(({ item: { index } }) => {
      if (index !== undefined) lines.splice(index, 1);
      show();
    });
    pick.onDidAccept(() => {
      const { index } = pick.activeItems[0] ?? {};
      if (index !== undefined) {
        const [line = ''] = lines.splice(index, 1);
        pick.value = line;
        show();
      } else if (pick.value !== '') add();
      else {
        const problem = problemOfAll();
        if (problem === undefined) settle('next');
        else say(problem);
      }
    });
    return () => ({ values: [...lines], ...(pick.value === '' ? {} : { typed: pick.value }) });
  });
}

function firstItem(typed: string, count: number, doubtOf: TextJudge['doubtOf']): LineItem {
  if (typed !== '') {
    const doubt = doubtOf(typed);
    const label = l10n.t('$(add) Add “{0}”', choiceLabel(typed));
    return { label, alwaysShow: true, ...(doubt === undefined ? {} : { detail: doubt }) };
  }
  const description = l10n.t('{0} entered', count);
  return { label: l10n.t('$(check) Continue'), description, alwaysShow: true };
}

function toItem(line: string, index: number): LineItem {
  const remove = { iconPath: new vscode.ThemeIcon('trash'), tooltip: l10n.t('Remove') };
  return { label: choiceLabel(line), index, alwaysShow: true, buttons: [remove] };
}
