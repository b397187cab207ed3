import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { withoutIcons } from '../../core/visibleText';
import type { CallQuestion } from '../../host/calls/call';
import type { GrantDuration, GrantScope, GrantWish } from '../../host/consent/grants/grant';
import { durationChoice, scopeChoice, type ChoiceTexts } from '../format/formatPermission';
import { toolTitle } from '../format/toolTitle';

/** One of the two questions about a wish. */
interface Question<T extends string> {
  readonly title: string;
  readonly placeholder: string;
  readonly values: readonly T[];
  readonly wordsOf: (value: T) => ChoiceTexts;
  readonly step: number;
  readonly totalSteps: number;
  /** What was chosen when the person came back. */
  readonly active?: T | undefined;
}

/**
 * Asks what an answer is remembered for and how long, smallest first; what leaves no choice is not
 * asked. `undefined`: the person goes back to where this came from.
 */
export async function pickWish(
  offered: readonly GrantWish[],
  question: Pick<CallQuestion, 'entry' | 'config'>,
): Promise<GrantWish | undefined> {
  const scopes = distinct(offered.map(({ scope }) => scope));
  let [scope] = scopes;
  if (scopes.length < 2) return scope && withDuration(await askDuration(scope, 1), scope);
  for (;;) {
    const chosen = await askScope(scopes, scope, question);
    if (chosen === undefined || chosen === 'back') return undefined;
    scope = chosen;
    const duration = await askDuration(scope, 2);
    if (duration !== 'back') return withDuration(duration, scope);
  }

  function askDuration(of: GrantScope, step: 1 | 2): Promise<Answer<GrantDuration>> {
    const wishes = offered.filter((wish) => wish.scope === of);
    return ask({
      title: titleOf(question),
      placeholder: l10n.t('How long?'),
      values: distinct(wishes.map(({ duration }) => duration)),
      wordsOf: durationChoice,
      step,
      totalSteps: step,
    });
  }
}

function askScope(
  scopes: readonly GrantScope[],
  active: GrantScope | undefined,
  question: Pick<CallQuestion, 'entry' | 'config'>,
): Promise<Answer<GrantScope>> {
  const { entry, config } = question;
  return ask({
    title: titleOf(question),
    placeholder: l10n.t('What can run without asking?'),
    values: scopes,
    wordsOf: (scope) => scopeChoice(scope, entry.tool.name, config.id),
    step: 1,
    totalSteps: 2,
    active,
  });
}

function titleOf({ entry }: Pick<CallQuestion, 'entry'>): string {
  return l10n.t('Run and Remember: {0}', toolTitle(entry.tool));
}

function withDuration(duration: Answer<GrantDuration>, scope: GrantScope): GrantWish | undefined {
  return duration === undefined || duration === 'back' ? undefined : { scope, duration };
}

type Answer<T extends string> = T | 'back' | undefined;

async function ask<T extends string>(question: Question<T>): Promise<Answer<T>> {
  const { values, wordsOf, title, placeholder, step, totalSteps, active } = question;
  const items = values.map((value) => {
    const { label, detail } = wordsOf(value);
    return { value, label, detail: withoutIcons(detail) };
  });
  const pick = vscode.window.createQuickPick<(typeof items)[number]>();
  pick.title = title;
  pick.placeholder = placeholder;
  pick.step = step;
  pick.totalSteps = totalSteps;
  // The dialog that this came from gives its focus away as it closes.
  pick.ignoreFocusOut = true;
  pick.buttons = [vscode.QuickInputButtons.Back];
  pick.items = items;
  // None at all would leave the first row without the focus.
  if (active !== undefined) pick.activeItems = items.filter(({ value }) => value === active);
  try {
    return await new Promise<Answer<T>>((resolve) => {
      pick.onDidTriggerButton(() => resolve('back'));
      pick.onDidAccept(() => {
        const [chosen] = pick.selectedItems;
        if (chosen !== undefined) resolve(chosen.value);
      });
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}

function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
