import * as l10n from '@vscode/l10n';
import type { FormElicitation } from '../../core/input/elicitation';
import { jsonOrAbsent } from '../../core/json/parseJson';
import { fitsFormat } from '../../core/arguments/textFormats';
import { parseFieldText, type TextField } from '../../core/arguments/inputField';
import type { SchemaTimeLimits, SchemaValidator } from '../../core/schema/schema';
import { fieldErrorSentence, formatSentence } from '../arguments/argumentProblems';
import { quoted } from '../format/sentences';

/**
 * Time limits for the check at each key press. The whole answer is checked with more time before it
 * is sent.
 */
const typingLimits: SchemaTimeLimits = { compileMs: 500, validateMs: 40 };

/** Returns the reason why a text is not valid in a field. */
export function answerProblem(
  field: TextField,
  text: string,
  validator: Pick<SchemaValidator, 'validate'>,
  isJson = false,
): string | undefined {
  // Most schemas allow an empty text, but it is not an answer of the user.
  if (text === '' && field.required) return l10n.t('The server requires a value.');
  const parsed = parseFieldText(field, text);
  if (parsed.kind === 'absent') return undefined;
  if (parsed.kind === 'error') return fieldErrorSentence(parsed.code);
  const { format } = field.limits;
  if (format !== undefined && !fitsFormat(format, text)) return formatSentence(format);
  const value = isJson ? jsonOrAbsent(text) : parsed.value;
  if (value === undefined) return l10n.t('This is not valid JSON.');
  const verdict = validator.validate(field.schema, value, typingLimits);
  const [first] = verdict.kind === 'invalid' ? verdict.violations : [];
  return first === undefined ? undefined : formatViolation(first.message);
}

/**
 * Returns the reason why the whole answer cannot be sent. An unusable schema is the server's own
 * fault.
 */
export function contentProblem(
  { schema }: FormElicitation,
  content: object,
  validator: Pick<SchemaValidator, 'validate'>,
): string | undefined {
  const verdict = validator.validate(schema, content);
  const [first] = verdict.kind === 'invalid' ? verdict.violations : [];
  if (first === undefined) return undefined;
  const place = first.pointer.slice(1);
  return place === ''
    ? formatViolation(first.message)
    : l10n.t('{0}: {1}', quoted(place), formatViolation(first.message));
}

function formatViolation(message: string): string {
  return l10n.t('The server requires another value: {0}', quoted(message));
}
