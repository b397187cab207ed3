import * as l10n from '@vscode/l10n';
import type { FormElicitation } from '../../core/input/elicitation';
import { isJsonValue } from '../../core/json/shapes';
import { jsonOrAbsent } from '../../core/json/parseJson';
import { fitsFormat } from '../../core/arguments/textFormats';
import { parseFieldText, type TextField } from '../../core/arguments/inputField';
import type { SchemaValidator } from '../../core/schema/schema';
import { fieldErrorSentence, formatSentence } from '../arguments/argumentProblems';
import { FieldChecks } from '../arguments/fieldChecks';
import { quoted } from '../format/sentences';
import { jsonNames } from './formFields';

/** Checks the answers of one form against the schemas of their fields. */
export class AnswerChecks extends FieldChecks {
  readonly #ofJson: ReadonlySet<string>;

  constructor(request: FormElicitation, validator: Pick<SchemaValidator, 'validate'>) {
    super(validator, formatViolation);
    this.#ofJson = jsonNames(request);
  }

  override problemOf(field: TextField, text: string): string | undefined {
    // Most schemas allow an empty text, but it is not an answer of the user.
    if (text === '' && field.required) return l10n.t('The server requires a value.');
    const parsed = parseFieldText(field, text);
    if (parsed.kind === 'absent') return undefined;
    if (parsed.kind === 'error') return fieldErrorSentence(parsed.code);
    const { format } = field.limits;
    if (format !== undefined && !fitsFormat(format, text)) return formatSentence(format);
    const value: unknown = this.#ofJson.has(field.name) ? jsonOrAbsent(text) : parsed.value;
    return isJsonValue(value) ? this.violationOf(field, value) : l10n.t('This is not valid JSON.');
  }
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
    ? formatViolation(first)
    : l10n.t('{0}: {1}', quoted(place), formatViolation(first));
}

function formatViolation({ message }: { readonly message: string }): string {
  return l10n.t('The server requires another value: {0}', quoted(message));
}
