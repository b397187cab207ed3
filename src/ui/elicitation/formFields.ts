import * as l10n from '@vscode/l10n';
import type { ElicitationValue, FormElicitation } from '../../core/input/elicitation';
import type { ElicitationField, ElicitationOption } from '../../core/input/elicitationField';
import { assertNever } from '../../core/errors';
import { toFieldText, type FormField, type TextField } from '../../core/arguments/inputField';
import { isJsonObject } from '../../core/json/shapes';
import type { JsonObject, JsonValue } from '../../core/json/jsonValue';
import { isNumber } from '../../core/json/writtenNumber';
import { toArguments, type Draft } from '../../core/arguments/fieldDrafts';

type Content = { readonly [name: string]: ElicitationValue };

/** The fields of a form as steps ask for them. */
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
    case 'choices': {
      const { minItems, maxItems } = field;
      return {
        ...base,
        kind: 'many',
        ...listOf(field.options),
        ...(field.default === undefined ? {} : { defaults: field.default }),
        ...(minItems === undefined ? {} : { minItems }),
        ...(maxItems === undefined ? {} : { maxItems }),
      };
    }
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

function presetOf<T extends string | number | boolean>(field: { readonly default?: T }) {
  return field.default === undefined ? {} : { default: field.default };
}

/** A default of several lines or with hidden characters is left out: one line would change it. */
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

function limitsOf(field: Extract<ElicitationField, { kind: 'string' | 'number' | 'integer' }>) {
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

/** What would be sent; what was left out is absent, also if it has a default. */
export function toContent(
  fields: readonly FormField[],
  drafts: ReadonlyMap<string, Draft>,
): Content {
  const answers = Object.entries(toArguments(fields, drafts)).filter(isAnswer);
  // Defines own properties, so that a property called `__proto__` is one.
  return Object.fromEntries(answers);
}

/** Fields of a form make nothing else. */
function isAnswer(entry: [string, JsonValue]): entry is [string, ElicitationValue] {
  const [, value] = entry;
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return typeof value === 'string' || isNumber(value) || typeof value === 'boolean';
}
