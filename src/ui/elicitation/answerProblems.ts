import * as l10n from '@vscode/l10n';
import type { FormElicitation } from '../../core/input/elicitation';
import { jsonOrAbsent } from '../../core/json/parseJson';
import { fitsFormat } from '../../core/arguments/textFormats';
import { parseFieldText, type TextField } from '../../core/arguments/inputField';
import type { SchemaTimeLimits, SchemaValidator } from '../../core/schema/schema';
import { fieldErrorSentence, formatSentence } from '../arguments/argumentProblems';
import { quoted } from '../format/sentences';

/** Paid at each key; the whole is judged with more time before it is sent. */
const typingLimits: SchemaTimeLimits = { compileMs: 500, validateMs: 40 };

/** Why a text cannot be the answer in a field. */
export function answerProblem(
  field: TextField,
  text: string,
  validator: Pick<SchemaValidator, 'validate'>,
  isJson = false,
): string | undefined {
  // An empty text would be allowed by most schemas, but it is no answer of a person.
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

/** Why the whole cannot be sent. A schema that cannot be used is the server's own fault. */
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
