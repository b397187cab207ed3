import { draftKey, draftValue, isAsked, toDrafts, type Draft, type Drafts } from './fieldDrafts';
import { toFieldText, type FormField } from './inputField';
import { planFields } from './inputFields';
import type { JsonObject } from '../json/jsonValue';

/** The draft that a question shows before the user enters anything. */
export function proposedDraft(field: FormField): Draft | undefined {
  if (field.kind === 'choice') return undefined;
  const empty = field.kind === 'many' || field.kind === 'list' ? { values: [] } : '';
  return defaultDraft(field) ?? empty;
}

/**
 * Adds drafts for fields that the user need not be asked for: required fields with a default or a
 * single choice. Optional fields stay left out until they are entered.
 */
export function withKnown(fields: readonly FormField[], drafts: Drafts): Drafts {
  const known = new Map(drafts);
  for (const field of fields) {
    if (!field.required || !isAsked(field, known) || known.has(draftKey(field))) continue;
    const only =
      field.kind === 'choice' && field.choices.length === 1 ? field.choices[0] : undefined;
    const draft = only === undefined ? defaultDraft(field) : { value: only };
    if (draft !== undefined) known.set(draftKey(field), draft);
  }
  return known;
}

/** Returns the draft of the schema's default, if there is one. */
export function defaultDraft(field: FormField): Draft | undefined {
  if (field.kind === 'many' || field.kind === 'list') {
    return field.defaults === undefined ? undefined : { values: field.defaults };
  }
  if (field.default === undefined) return undefined;
  return field.kind === 'choice' ? { value: field.default } : String(field.default);
}

/** True if the field's current draft gives a value to send. */
export function hasValue(field: FormField, drafts: Drafts): boolean {
  return isAsked(field, drafts) && draftValue(field, drafts.get(draftKey(field))) !== undefined;
}

/** True if the field only decides whether the fields of an optional object are asked for. */
export function isGate(field: FormField): boolean {
  return field.kind === 'choice' && field.opens === true;
}

/** Returns known values as texts of fields, or `undefined` if a field cannot hold its value. */
export function textDrafts(schema: JsonObject, known: JsonObject): Map<string, string> | undefined {
  const plan = planFields(schema);
  if (plan.kind !== 'fields') return undefined;
  const drafts = new Map<string, string>();
  for (const [name, value] of Object.entries(known)) {
    const field = plan.fields.find((one) => one.parent === undefined && one.name === name);
    const text = field?.kind === 'string' ? toFieldText(field, value) : undefined;
    if (text === undefined) return undefined;
    drafts.set(name, text);
  }
  return drafts;
}

/**
 * Returns drafts for as many of the arguments as fields can express, and whether that is all of
 * them.
 */
export function draftsOf(
  fields: readonly FormField[],
  known: JsonObject,
): { readonly drafts: Drafts; readonly isAll: boolean } {
  const drafts = new Map<string, Draft>();
  let isAll = true;
  for (const [name, value] of Object.entries(known)) {
    const own = fields.filter((field) => (field.parent?.name ?? field.name) === name);
    // Defines an own property, so that `__proto__` is an ordinary one.
    const one = own.length === 0 ? undefined : toDrafts(own, Object.fromEntries([[name, value]]));
    if (one === undefined) isAll = false;
    else for (const [key, draft] of one) drafts.set(key, draft);
  }
  return { drafts, isAll };
}
