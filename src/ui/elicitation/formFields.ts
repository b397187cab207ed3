import * as l10n from '@vscode/l10n';
import { toArguments, type Draft } from '../../core/arguments/fieldDrafts';
import {
  toFieldText,
  type FormField,
  type TextField,
  parseFieldText,
} from '../../core/arguments/inputField';
import { fitsFormat } from '../../core/arguments/textFormats';
import { assertNever } from '../../core/errors';
import type { FormElicitation } from '../../core/input/elicitation';
import type { ElicitationField, ElicitationOption } from '../../core/input/elicitationField';
import { boundedJson } from '../../core/json/boundedJson';
import type { JsonObject, JsonValue } from '../../core/json/jsonValue';
import { jsonOrAbsent } from '../../core/json/parseJson';
import { isJsonObject, isJsonValue } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';
import type { SchemaValidator } from '../../core/schema/schema';
import { fieldErrorSentence, formatSentence } from '../arguments/argumentProblems';
import { FieldChecks } from '../arguments/fieldChecks';
import { quoted } from '../format/sentences';

const maxSchemaChars = 300;

/** Converts the properties of a form to fields of a list. */
export function toFormFields({ fields, schema }: FormElicitation): readonly FormField[] {
  const { properties } = schema;
  return fields.map((field) => {
    const own = isJsonObject(properties) ? properties[field.name] : undefined;
    return toFormField(field, isJsonObject(own) ? own : {});
  });
}

function toFormField(field: ElicitationField, schema: JsonObject): FormField {
  const { name, label, description, required } = field;
  const prompt = description === undefined ? {} : { prompt: description };
  const base = { name, label, ...prompt, required, schema };
  switch (field.kind) {
    case 'boolean': {
      const titles = [l10n.t('Yes'), l10n.t('No')];
      return { ...base, kind: 'choice', choices: [true, false], titles, ...presetOf(field) };
    }
    case 'choice':
      return { ...base, kind: 'choice', ...listOf(field.options), ...presetOf(field) };
    case 'choices':
      return manyField(base, field);
    case 'texts':
      return listField(base, field);
    case 'json':
      return jsonField(base, field);
    case 'string': {
      const text = { ...base, kind: field.kind, isNullable: false, limits: limitsOf(field) };
      return withVisibleDefault(text, field.default);
    }
    case 'number':
    case 'integer':
      return {
        ...base,
        kind: field.kind,
        isNullable: false,
        limits: limitsOf(field),
        ...presetOf(field),
      };
    default:
      return assertNever(field);
  }
}

type Base = Pick<TextField, 'name' | 'label' | 'prompt' | 'required' | 'schema'>;

function manyField(base: Base, field: Extract<ElicitationField, { kind: 'choices' }>): FormField {
  const { options, minItems, maxItems, default: defaults } = field;
  return {
    ...base,
    kind: 'many',
    ...listOf(options),
    ...(defaults === undefined ? {} : { defaults }),
    ...(minItems === undefined ? {} : { minItems }),
    ...(maxItems === undefined ? {} : { maxItems }),
  };
}

function listField(base: Base, field: Extract<ElicitationField, { kind: 'texts' }>): FormField {
  const { name, label, schema } = base;
  const { item, minItems, maxItems, default: defaults } = field;
  const own = { name, label, required: true, schema: itemsOf(schema), isNullable: false };
  return {
    ...base,
    kind: 'list',
    item: { ...own, kind: 'string', limits: limitsOf(item) },
    ...(defaults === undefined ? {} : { defaults }),
    ...(minItems === undefined ? {} : { minItems }),
    ...(maxItems === undefined ? {} : { maxItems }),
  };
}

function jsonField(base: Base, field: Extract<ElicitationField, { kind: 'json' }>): FormField {
  const { schema, prompt: said } = base;
  const asked = l10n.t('As JSON, matching the schema {0}', boundedJson(schema, maxSchemaChars));
  const prompt = said === undefined ? asked : `${said} ${asked}`;
  const line: TextField = { ...base, prompt, kind: 'string', isNullable: false, limits: {} };
  const isPreset = field.default !== undefined && field.default !== null;
  return withVisibleDefault(line, isPreset ? stringifyExactly(field.default) : undefined);
}

function presetOf<T extends string | number | boolean>(field: { readonly default?: T }) {
  return field.default === undefined ? {} : { default: field.default };
}

/**
 * Leaves out a default with several lines or hidden characters, because a one-line input would
 * change it.
 */
function withVisibleDefault(field: TextField, byDefault: string | undefined): TextField {
  const line = toFieldText(field, byDefault);
  return line === undefined ? field : { ...field, default: line };
}

function listOf(options: readonly ElicitationOption[]) {
  return {
    choices: options.map(({ value }) => value),
    titles: options.map(({ title }) => title),
  };
}

function itemsOf({ items }: JsonObject): JsonObject {
  return isJsonObject(items) ? items : {};
}

type Limited =
  | Omit<Extract<ElicitationField, { kind: 'string' }>, 'name' | 'label' | 'required'>
  | Extract<ElicitationField, { kind: 'number' | 'integer' }>;

function limitsOf(field: Limited) {
  if (field.kind !== 'string') {
    const { minimum, maximum } = field;
    return {
      ...(minimum === undefined ? {} : { minimum }),
      ...(maximum === undefined ? {} : { maximum }),
    };
  }
  const { minLength, maxLength, format } = field;
  return {
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(format === undefined ? {} : { format }),
  };
}

/** Names of the fields that hold JSON. */
export function jsonNames({ fields }: FormElicitation): ReadonlySet<string> {
  return new Set(fields.flatMap(({ kind, name }) => (kind === 'json' ? [name] : [])));
}

/**
 * Returns the content to send. Omitted fields are absent, even if they have a default (R-519,
 *
 */
export function toContent(
  fields: readonly FormField[],
  drafts: ReadonlyMap<string, Draft>,
  ofJson: ReadonlySet<string> = new Set(),
): JsonObject {
  const answers = Object.entries(toArguments(fields, drafts)).map(
    ([name, value]): [string, JsonValue] => {
      const json = ofJson.has(name) && typeof value === 'string' ? jsonOrAbsent(value) : value;
      return [name, isJsonValue(json) ? json : value];
    },
  );
  // Object.fromEntries defines own properties, so a property can be called `__proto__`.
  return Object.fromEntries(answers);
}

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
    if (format !== undefined && !fitsFormat(format, text)) return formatSentence(format, text);
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
