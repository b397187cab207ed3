import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { toFieldText, type FormField } from '../../core/arguments/inputField';
import type { AnswerValue } from '../../host/history/answerValues';
import { formatUptime } from '../format/formatTime';
import { quoted } from '../format/sentences';
import { quickInputText } from './formatField';
import type { StepOffer } from './fieldStep';

const maxValueChars = 80;

interface TextItem extends vscode.QuickPickItem {
  readonly text: string;
}

/** Offers the values that the same server returned under the name of the field. */
export function answerOffers(
  field: FormField,
  values: readonly AnswerValue[],
  now = Date.now(),
): readonly StepOffer[] {
  const line = field.kind === 'list' ? field.item : field;
  if (line.kind === 'choice' || line.kind === 'many' || line.isSecret === true) return [];
  const items = values.flatMap(({ value, toolTitle, at }): TextItem[] => {
    // A number for a text field is written as text.
    const text = toFieldText(line, line.kind === 'string' ? String(value) : value);
    if (text === undefined) return [];
    const ago = formatUptime(now - at);
    const description = l10n.t('from “{0}”, {1} ago', quoted(toolTitle), ago);
    return [{ label: quickInputText(text, maxValueChars), description, text }];
  });
  if (items.length === 0) return [];
  const tooltip = l10n.t('Use a Value from a Result…');
  return [{ icon: 'history', tooltip, take: () => takeOne(items, tooltip) }];
}

/** Returns an empty list if the user cancels. */
export async function takeOne(
  items: readonly TextItem[],
  title: string,
): Promise<readonly string[]> {
  const options = { title, matchOnDescription: true };
  const picked = await vscode.window.showQuickPick(items, options);
  return picked === undefined ? [] : [picked.text];
}
