import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import type { FieldTextError } from '../../core/arguments/inputField';
import type { TextProblem } from '../../core/arguments/argumentsJson';
import type { SchemaViolation } from '../../core/types';
import { quoted } from '../format/sentences';

/** What is wrong with the text of an arguments document, as a sentence. */
export function textProblemSentence({ code, detail }: TextProblem): string {
  switch (code) {
    case 'syntax':
      return syntaxSentence(detail ?? '');
    case 'notAnObject':
      return l10n.t('Arguments are a JSON object: names and values between { and }.');
    case 'duplicateName':
      return l10n.t('Duplicate name “{0}”; only one could be sent.', quoted(detail));
    case 'tooLarge':
      return l10n.t(
        'This is too much to be read here: some 100,000 values or 32 Mi characters at most.',
      );
    case 'tooDeep':
      return l10n.t('This is nested too deeply to be read.');
    default:
      return assertNever(code);
  }
}

/** What was typed in one line and cannot be the value of the field. */
export function fieldErrorSentence(code: FieldTextError): string {
  switch (code) {
    case 'empty':
      return l10n.t('A number is required here.');
    case 'notANumber':
      return l10n.t('This is not a number. Write it like 12, -3.5 or 1e6.');
    case 'notAnInteger':
      return l10n.t('A whole number is required here.');
    default:
      return assertNever(code);
  }
}

/** What a text of the format looks like; for the formats that are looked at. */
export function formatSentence(format: string): string {
  switch (format) {
    case 'email':
      return l10n.t('This is not an e-mail address. Write it like {0}.', 'name@example.org');
    case 'uri':
      return l10n.t('This is not a complete address. Write it like {0}.', 'https://example.org');
    case 'uuid':
      return l10n.t(
        'This is not a UUID. Write it like {0}.',
        '123e4567-e89b-12d3-a456-426614174000',
      );
    case 'date':
      return l10n.t('This is not a date. Write it like {0}.', '2026-07-28');
    default:
      return l10n.t(
        'This is not a date and time with a time zone. Write it like {0}.',
        '2026-07-28T12:00:00Z',
      );
  }
}

/** Quotes the schema of the server, so it is bounded and plain. */
export function violationSentence({ message, keyword }: SchemaViolation): string {
  // Found before any schema was asked.
  if (keyword === 'json') return l10n.t('Cannot be sent: {0}.', quoted(message));
  return l10n.t('The schema of the tool says: {0}', quoted(message));
}

function syntaxSentence(parserCode: string): string {
  switch (parserCode) {
    case 'PropertyNameExpected':
      return l10n.t('A name in double quotes is expected here.');
    case 'ValueExpected':
      return l10n.t('A value is expected here.');
    case 'ColonExpected':
      return l10n.t('A colon is expected here.');
    case 'CommaExpected':
      return l10n.t('A comma is expected here.');
    case 'CloseBraceExpected':
      return l10n.t('A closing brace is expected here.');
    case 'CloseBracketExpected':
      return l10n.t('A closing bracket is expected here.');
    case 'EndOfFileExpected':
      return l10n.t('Nothing else is expected here.');
    case 'UnexpectedEndOfString':
      return l10n.t('This text has no closing quote.');
    default:
      return l10n.t('This is not valid JSON.');
  }
}
