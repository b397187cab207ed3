import * as l10n from '@vscode/l10n';
import type { ArgumentHint } from '../../core/arguments/argumentHints';
import type { FieldTextError } from '../../core/arguments/inputField';
import type { SchemaViolation } from '../../core/types';
import { quoted } from '../format/sentences';

/** Explains why a typed line cannot be the value of the field. */
export function fieldErrorSentence(code: FieldTextError): string {
  return {
    empty: l10n.t('Enter a number.'),
    notANumber: l10n.t('This is not a number. Use a form such as 12, -3.5 or 1e6.'),
    notAnInteger: l10n.t('Enter an integer.'),
  }[code];
}

/** Describes a text of the format. Covers the formats that are checked. */
export function formatSentence(format: string, text: string): string {
  if (format === 'date' && /^\d{4}-\d\d-\d\d$/.test(text)) {
    return l10n.t('This day does not exist.');
  }
  switch (format) {
    case 'email':
      return l10n.t('This is not an email address. Use the form {0}.', 'name@example.org');
    case 'uri':
      return l10n.t('This is not a complete URL. Use the form {0}.', 'https://example.org');
    case 'uuid':
      return l10n.t(
        'This is not a UUID. Use the form {0}.',
        '123e4567-e89b-12d3-a456-426614174000',
      );
    case 'date':
      return l10n.t('This is not a date. Use the form {0}.', '2026-07-28');
    default:
      return l10n.t(
        'This is not a date and time with a time zone. Use the form {0}.',
        '2026-07-28T12:00:00Z',
      );
  }
}

/** Quotes the server's schema, so the text is shortened and made visible. */
export function violationSentence({ message, keyword }: SchemaViolation): string {
  // This was found before the schema was used.
  if (keyword === 'json') return l10n.t('Cannot be sent: {0}.', quoted(message));
  return l10n.t('Tool schema: {0}', quoted(message));
}

/** Describes a probable mistake. The names are from the document and the server's schema. */
export function hintSentence(hint: ArgumentHint): string {
  if (hint.kind === 'format') return formatSentence(hint.format, hint.text);
  return l10n.t(
    'The schema of this tool does not have “{0}”. Did you mean “{1}”?',
    quoted(hint.name),
    quoted(hint.nearest),
  );
}
