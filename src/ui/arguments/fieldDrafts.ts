import {
  parseFieldText,
  toFieldText,
  type Field,
  type FormField,
  type Scalar,
} from '../../core/arguments/inputField';
import type { JsonObject, JsonValue } from '../../core/types';

/** What stands in a field: the text as typed, or what was picked; `{}` is "left out". */
export type Draft = string | PickedOne | { readonly values: readonly string[] };

export interface PickedOne {
  readonly value?: Scalar;
}

export function isPickedOne(draft: Draft | undefined): draft is PickedOne {
  return typeof draft === 'object' && !('values' in draft);
}

/** The arguments by the drafts; what cannot be a value yet, or was left out, is absent. */
export function toArguments(
  fields: readonly FormField[],
  drafts: ReadonlyMap<string, Draft>,
): JsonObject {
  const members = fields.flatMap((field): [string, JsonValue][] => {
    const value = valueOf(field, drafts.get(field.name));
    return value === undefined ? [] : [[field.name, value]];
  });
  // Defines own properties, so that a property called `__proto__` is one.
  return Object.fromEntries(members);
}

function valueOf(field: FormField, draft: Draft | undefined): JsonValue | undefined {
  if (field.kind === 'choice') return isPickedOne(draft) ? draft.value : undefined;
  if (field.kind === 'many') {
    if (typeof draft !== 'object' || !('values' in draft)) return undefined;
    // Nothing picked where nothing has to be: left out.
    return draft.values.length > 0 || field.required ? draft.values : undefined;
  }
  if (typeof draft !== 'string') return undefined;
  const parsed = parseFieldText(field, draft);
  return parsed.kind === 'value' ? parsed.value : undefined;
}

/** The drafts that make these arguments, or `undefined` where fields cannot express them. */
export function toDrafts(
  fields: readonly Field[],
  value: JsonObject,
): ReadonlyMap<string, Draft> | undefined {
  const known = new Set(fields.map(({ name }) => name));
  if (Object.keys(value).some((name) => !known.has(name))) return undefined;
  const drafts = new Map<string, Draft>();
  for (const field of fields) {
    const draft = toDraft(field, Object.hasOwn(value, field.name) ? value[field.name] : undefined);
    if (draft === undefined) return undefined;
    drafts.set(field.name, draft);
  }
  return drafts;
}

function toDraft(field: Field, value: JsonValue | undefined): Draft | undefined {
  if (value === undefined) return field.kind === 'choice' ? {} : '';
  if (field.kind !== 'choice') return toFieldText(field, value);
  const choice = field.choices.find((one) => one === value);
  return choice === undefined ? undefined : { value: choice };
}
