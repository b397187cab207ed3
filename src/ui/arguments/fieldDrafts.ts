import { parseFieldText, toFieldText, type Field, type Scalar } from '../../core/inputField';
import type { JsonObject, JsonValue } from '../../core/types';

/** What stands in a field: the text as typed, or what was picked; `{}` is "left out". */
export type Draft = string | { readonly value?: Scalar };

/** The arguments by the drafts; what cannot be a value yet, or was left out, is absent. */
export function toArguments(
  fields: readonly Field[],
  drafts: ReadonlyMap<string, Draft>,
): JsonObject {
  const members = fields.flatMap((field): [string, JsonValue][] => {
    const value = valueOf(field, drafts.get(field.name));
    return value === undefined ? [] : [[field.name, value]];
  });
  // Defines own properties, so that a property called `__proto__` is one.
  return Object.fromEntries(members);
}

function valueOf(field: Field, draft: Draft | undefined): Scalar | undefined {
  if (draft === undefined) return undefined;
  if (typeof draft !== 'string') return field.kind === 'choice' ? draft.value : undefined;
  if (field.kind === 'choice') return undefined;
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
