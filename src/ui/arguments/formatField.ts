import * as l10n from '@vscode/l10n';
import type {
  FieldLimits,
  FormField,
  ListField,
  ManyField,
  Scalar,
  TextField,
} from '../../core/arguments/inputField';
import type { DocumentProperty } from '../../core/arguments/inputFields';
import { visibleText, escapeIcons, breakLinks } from '../../core/visibleText';
import { stringifyExactly } from '../../core/json/writtenNumber';
import {
  isPickedChoice,
  isMultipleValues,
  isEnteredText,
  type Draft,
} from '../../core/arguments/fieldDrafts';

const maxLabelChars = 80;
const maxPromptChars = 500;
const maxHintChars = 200;
const maxChoiceChars = 200;
const maxOthers = 5;

/** Escapes server text for a quick input, where VS Code would render icons and links. */
export function quickInputText(text: string, maxChars: number): string {
  return breakLinks(escapeIcons(visibleText(text, maxChars)));
}

/** The name and description of a field, with the terms for its value: `limit (integer, optional)`. */
export function fieldPrompt(field: FormField): string {
  const label = fieldLabel(field);
  const description = quickInputText((field.prompt ?? '').trim(), maxPromptChars);
  const isTyped = field.kind !== 'choice' && field.kind !== 'many' && field.kind !== 'list';
  const subject = description === '' ? label : l10n.t('{0}: {1}', label, description);
  const terms = [
    isTyped ? formatTextField(field) : '',
    field.isSecret === true && isTyped ? l10n.t('masked, not kept') : '',
    field.required || !isTyped ? '' : l10n.t('optional'),
  ].filter((term) => term !== '');
  return terms.length === 0 ? subject : l10n.t('{0} ({1})', subject, terms.join(', '));
}

/** Describes a field for a list row: its description, or the values that it allows. */
export function fieldHint(field: FormField): string {
  const paragraph = (field.prompt ?? '').slice(0, maxPromptChars).replaceAll(/\s+/g, ' ').trim();
  if (paragraph !== '') return quickInputText(paragraph, maxHintChars);
  if (field.kind === 'choice' || field.kind === 'many') {
    if (field.kind === 'choice' && field.opens === true) return '';
    const titles = field.choices.slice(0, maxOthers).map((_, index) => choiceTitle(field, index));
    const all = (field.choices.length > titles.length ? [...titles, '…'] : titles).join(', ');
    // Without these words, a row would show them like values that are picked.
    return field.kind === 'many' ? l10n.t('any of: {0}', all) : l10n.t('one of: {0}', all);
  }
  return formatTextField(field.kind === 'list' ? field.item : field);
}

/** Lists the properties that have no field. */
export function formatOtherProperties(others: readonly DocumentProperty[]): string {
  const names = others.slice(0, maxOthers).map((one) => labelWith(one, quickInputText));
  const all = others.length > names.length ? [...names, '…'] : names;
  return l10n.t('Can only be entered as JSON: {0}', all.join(', '));
}

/** Returns the label, after the label of the object that contains the field. */
export function fieldLabel(field: FormField): string {
  return labelWith(field, quickInputText);
}

function labelWith(
  { label, parent }: Pick<FormField, 'label' | 'parent'>,
  toText: (text: string, maxChars: number) => string,
): string {
  const own = toText(label, maxLabelChars);
  return parent === undefined ? own : l10n.t('{0} › {1}', toText(parent.label, maxLabelChars), own);
}

/** Returns the title of the choice at `index`, or its value. */
export function choiceTitle(
  field: Extract<FormField, { choices: unknown }>,
  index: number,
): string {
  if (field.kind === 'choice' && field.opens === true) return l10n.t('$(edit) Fill in…');
  const title = field.titles?.[index];
  const value = choiceLabel(field.choices[index] ?? null);
  return title === undefined || title.trim() === '' ? value : choiceLabel(title);
}

/**
 * Returns the label of a choice. Values that are not text, and texts that would be invisible, are
 * shown as JSON.
 */
export function choiceLabel(choice: Scalar): string {
  const isPlain = typeof choice === 'string' && choice.trim() !== '';
  return quickInputText(isPlain ? choice : stringifyExactly(choice), maxChoiceChars);
}

export function choicePlaceholder(field: FormField): string {
  // A placeholder is plain text and needs no escaping.
  const label = labelWith(field, visibleText);
  const description = visibleText((field.prompt ?? '').trim(), maxPromptChars);
  return description === '' ? label : l10n.t('{0}: {1}', label, description);
}

/** Says how many choices may be picked. */
export function formatPickedCount(field: ManyField): string {
  const description = formatPickLimits(field);
  return field.required ? description : l10n.t('{0} Optional.', description);
}

/** Says how many values may be listed, and what each must be. */
export function formatItemCount(field: ListField): string {
  const { item, required, minItems = 0, maxItems } = field;
  const parts = [
    l10n.t('Press Enter to add a value, or on an empty field to continue.'),
    formatTextField(item) === '' ? '' : l10n.t('Each value: {0}.', formatTextField(item)),
    minItems > 0 ? l10n.t('At least {0}.', minItems) : '',
    maxItems === undefined ? '' : l10n.t('At most {0}.', maxItems),
    required ? '' : l10n.t('Optional: add none to leave it out'),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** Describes a text that the line cannot show because it is long or has several lines. */
export function formatTakenText(text: string): string {
  const lines = text.split('\n').length;
  return l10n.t(
    'Characters: {0}, lines: {1}. Press Enter to keep the value, or type to replace it.',
    text.length,
    lines,
  );
}

function formatPickLimits({ minItems = 0, maxItems }: ManyField): string {
  if (maxItems === undefined) {
    return minItems > 0 ? l10n.t('Select at least {0}.', minItems) : l10n.t('Select any number.');
  }
  if (minItems === maxItems) return l10n.t('Select exactly {0}.', minItems);
  return minItems > 0
    ? l10n.t('Select at least {0} and at most {1}.', minItems, maxItems)
    : l10n.t('Select at most {0}.', maxItems);
}

function formatTextField(field: TextField): string {
  const parts = [formatFieldKind(field.kind), ...formatLimits(field.limits)];
  if (field.isNullable) parts.push(l10n.t('or null'));
  return parts.filter((part) => part !== '').join(', ');
}

function formatFieldKind(kind: TextField['kind']): string {
  return {
    string: '',
    number: l10n.t('number'),
    integer: l10n.t('integer'),
  }[kind];
}

function formatLimits(limits: FieldLimits): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = limits;
  const { minLength, maxLength, format } = limits;
  return [
    ...(minimum === undefined ? [] : [l10n.t('at least {0}', minimum)]),
    ...(exclusiveMinimum === undefined ? [] : [l10n.t('more than {0}', exclusiveMinimum)]),
    ...(maximum === undefined ? [] : [l10n.t('at most {0}', maximum)]),
    ...(exclusiveMaximum === undefined ? [] : [l10n.t('less than {0}', exclusiveMaximum)]),
    ...(multipleOf === undefined ? [] : [l10n.t('a multiple of {0}', multipleOf)]),
    ...(minLength === undefined || minLength === 0 ? [] : [formatMinLength(minLength)]),
    ...(maxLength === undefined ? [] : [formatMaxLength(maxLength)]),
    ...(format === undefined ? [] : [formatTextFormat(format)]),
  ];
}

function formatMinLength(length: number): string {
  return length === 1
    ? l10n.t('at least one character')
    : l10n.t('at least {0} characters', length);
}

function formatMaxLength(length: number): string {
  return length === 1 ? l10n.t('at most one character') : l10n.t('at most {0} characters', length);
}

/** Gives an example, because users do not know the formats of JSON Schema. */
function formatTextFormat(format: string): string {
  switch (format) {
    case 'email':
      return l10n.t('an email address');
    case 'uri':
      return l10n.t('a URL such as {0}', 'https://example.org');
    case 'uuid':
      return l10n.t('a UUID such as {0}', '123e4567-e89b-12d3-a456-426614174000');
    case 'date':
      return l10n.t('a date such as {0}', '2026-07-28');
    case 'date-time':
      return l10n.t('a date and time such as {0}', '2026-07-28T12:00:00Z');
    default:
      return l10n.t('format {0}', quickInputText(format, maxLabelChars));
  }
}

const maxValueChars = 200;
/** Longer lists are not useful in a row. */
const maxLines = 20;

/** Returns the value of a field as it will be sent, with titles where there are some. */
export function formatFieldValue(field: FormField, draft: Draft | undefined): string {
  if (field.kind === 'many') {
    const values = isMultipleValues(draft) ? draft.values : [];
    const titles = values.map((value) => choiceTitle(field, field.choices.indexOf(value)));
    return titles.length === 0 ? formatNothing(field) : titles.join(', ');
  }
  if (field.kind === 'list') {
    const lines = isMultipleValues(draft) ? draft.values : [];
    if (lines.length === 0) return formatNothing(field);
    const shown = lines
      .slice(0, maxLines)
      .map((line) => (line.trim() === '' ? JSON.stringify(line) : line));
    return quickInputText(shown.join(', '), maxValueChars);
  }
  if (field.kind === 'choice') {
    const value = isPickedChoice(draft) ? draft.value : undefined;
    return value === undefined
      ? l10n.t('(left out)')
      : choiceTitle(field, field.choices.indexOf(value));
  }
  if (isEnteredText(draft)) {
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
