import * as l10n from '@vscode/l10n';
import { isPickedOne, isSeveral, isTakenText, type Draft } from '../../core/arguments/fieldDrafts';
import type { FormField } from '../../core/arguments/inputField';
import { choiceLabel, choiceTitle, quickInputText } from './formatField';

const maxValueChars = 200;
/** Longer lists are not useful in a row. */
const maxLines = 20;

/** Returns the value of a field as it will be sent, with titles where there are some. */
export function formatFieldValue(field: FormField, draft: Draft | undefined): string {
  if (field.kind === 'many') {
    const values = isSeveral(draft) ? draft.values : [];
    const titles = values.map((value) => choiceTitle(field, field.choices.indexOf(value)));
    return titles.length === 0 ? formatNothing(field) : titles.join(', ');
  }
  if (field.kind === 'list') {
    const lines = isSeveral(draft) ? draft.values : [];
    if (lines.length === 0) return formatNothing(field);
    const shown = lines
      .slice(0, maxLines)
      .map((line) => (line.trim() === '' ? JSON.stringify(line) : line));
    return quickInputText(shown.join(', '), maxValueChars);
  }
  if (field.kind === 'choice') {
    const value = isPickedOne(draft) ? draft.value : undefined;
    return value === undefined
      ? l10n.t('(left out)')
      : choiceTitle(field, field.choices.indexOf(value));
  }
  if (isTakenText(draft)) {
    return l10n.t('{0} characters: {1}', draft.text.length, choiceLabel(draft.text));
  }
  const text = typeof draft === 'string' ? draft : '';
  if (text === '') return field.required && draft === '' ? '""' : l10n.t('(left out)');
  // A secret is not shown, not even its length.
  return field.isSecret === true ? l10n.t('(hidden)') : quickInputText(text, maxValueChars);
}

function formatNothing({ required }: FormField): string {
  return required ? l10n.t('(none)') : l10n.t('(left out)');
}
