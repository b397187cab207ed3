import { l10n } from 'vscode';
import { assertNever } from '../../core/errors';
import type { ChoiceField, Field, FieldLimits, Scalar, TextField } from '../../core/inputField';
import { visibleText, withoutIcons, withoutLinks } from '../../core/visibleText';

const maxLabelChars = 80;
const maxPromptChars = 500;
const maxChoiceChars = 200;

/** Text of a server in a quick input, where VS Code would make icons and links of it. */
export function quickInputText(text: string, maxChars: number): string {
  return withoutLinks(withoutIcons(visibleText(text, maxChars)));
}

/** Name, description and what is asked of the value, in one line. */
export function fieldPrompt(field: Field): string {
  const label = quickInputText(field.label, maxLabelChars);
  const description = quickInputText((field.prompt ?? '').trim(), maxPromptChars);
  const parts = [
    description === '' ? label : l10n.t('{0}: {1}', label, description),
    field.kind === 'choice' ? '' : textWords(field),
    field.required || field.kind === 'choice'
      ? ''
      : l10n.t('Optional: leave it empty to leave it out.'),
  ];
  return parts.filter((part) => part !== '').join(' — ');
}

/** A value to pick, as it is in JSON where it is no text, and where a text would be invisible. */
export function choiceLabel(choice: Scalar): string {
  const isPlain = typeof choice === 'string' && choice.trim() !== '';
  return quickInputText(isPlain ? choice : JSON.stringify(choice), maxChoiceChars);
}

export function choicePlaceholder(field: ChoiceField): string {
  // A placeholder is plain text already.
  const label = visibleText(field.label, maxLabelChars);
  const description = visibleText((field.prompt ?? '').trim(), maxPromptChars);
  return description === '' ? label : l10n.t('{0}: {1}', label, description);
}

function textWords(field: TextField): string {
  const words = [kindWords(field.kind), ...limitWords(field.limits)];
  if (field.isNullable) words.push(l10n.t('or null'));
  return words.filter((word) => word !== '').join(', ');
}

function kindWords(kind: TextField['kind']): string {
  switch (kind) {
    case 'string':
      return '';
    case 'number':
      return l10n.t('number');
    case 'integer':
      return l10n.t('whole number');
    default:
      return assertNever(kind);
  }
}

function limitWords(limits: FieldLimits): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = limits;
  const { minLength, maxLength, format } = limits;
  return [
    ...(minimum === undefined ? [] : [l10n.t('at least {0}', minimum)]),
    ...(exclusiveMinimum === undefined ? [] : [l10n.t('more than {0}', exclusiveMinimum)]),
    ...(maximum === undefined ? [] : [l10n.t('at most {0}', maximum)]),
    ...(exclusiveMaximum === undefined ? [] : [l10n.t('less than {0}', exclusiveMaximum)]),
    ...(multipleOf === undefined ? [] : [l10n.t('a multiple of {0}', multipleOf)]),
    ...(minLength === undefined ? [] : [l10n.t('at least {0} characters', minLength)]),
    ...(maxLength === undefined ? [] : [l10n.t('at most {0} characters', maxLength)]),
    ...(format === undefined ? [] : [l10n.t('format {0}', quickInputText(format, maxLabelChars))]),
  ];
}
