import { isSameJson, isJsonObject } from '../json/shapes';
import {
  draftKey,
  parseFieldText,
  toFieldText,
  type FormField,
  type ListField,
  type Scalar,
} from './inputField';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { stringifyExactly } from '../json/writtenNumber';
import { planFields } from './inputFields';

/**
 * The content of a field: text as typed, longer text from elsewhere, or a choice. `{}` means that
 * the value is left out.
 */
export type Draft = string | PickedChoice | MultipleValues | { readonly text: string };

export interface PickedChoice {
  readonly value?: Scalar;
}

/** Several values, picked from a list or typed one after the other. */
export interface MultipleValues {
  readonly values: readonly string[];
  /** Text in the input that was not added yet. */
  readonly typed?: string;
}

export type Drafts = ReadonlyMap<string, Draft>;

export function isPickedChoice(draft: Draft | undefined): draft is PickedChoice {
  return typeof draft === 'object' && !('values' in draft) && !('text' in draft);
}

export function isMultipleValues(draft: Draft | undefined): draft is MultipleValues {
  return typeof draft === 'object' && 'values' in draft;
}

export function isEnteredText(draft: Draft | undefined): draft is { readonly text: string } {
  return typeof draft === 'object' && 'text' in draft;
}

/**
 * True if the user is asked for the field. The fields of an optional object are asked for only
 * after it was opened.
 */
export function isFieldAsked({ parent }: FormField, drafts: Drafts): boolean {
  if (parent === undefined || parent.required) return true;
  const gate = drafts.get(parent.name);
  return isPickedChoice(gate) && gate.value === true;
}

/**
 * Builds the arguments from drafts. Omits drafts that are not valid values yet, values that were
 * left out, and optional objects without any entered value.
 */
export function toArguments(fields: readonly FormField[], drafts: Drafts): JsonObject {
  const members = new Map<string, JsonValue>();
  const inner = new Map<string, Map<string, JsonValue>>();
  for (const field of fields) {
    const { name, parent } = field;
    const isSent =
      isFieldAsked(field, drafts) && !(field.kind === 'choice' && field.opens === true);
    const value = isSent ? draftValue(field, drafts.get(draftKey(field))) : undefined;
    if (parent === undefined) {
      if (value !== undefined) members.set(name, value);
      continue;
    }
    const siblings = inner.get(parent.name) ?? new Map<string, JsonValue>();
    if (value !== undefined) siblings.set(name, value);
    inner.set(parent.name, siblings);
    if (siblings.size === 0 && !parent.required) continue;
    // Defines own properties, so that `__proto__` is an ordinary one.
    members.set(parent.name, Object.fromEntries(siblings));
  }
  return Object.fromEntries(members);
}

/** Returns the value of a draft, or `undefined` if it is left out or not valid yet. */
function draftValue(field: FormField, draft: Draft | undefined): JsonValue | undefined {
  if (field.kind === 'choice') return isPickedChoice(draft) ? draft.value : undefined;
  if (field.kind === 'many') {
    if (!isMultipleValues(draft)) return undefined;
    // An optional list with nothing picked is left out.
    return draft.values.length > 0 || field.required ? draft.values : undefined;
  }
  if (field.kind === 'list') {
    if (!isMultipleValues(draft)) return undefined;
    const values = toListValues(field, draft.values);
    return values.length > 0 || field.required ? values : undefined;
  }
  if (isEnteredText(draft)) return field.kind === 'string' ? draft.text : undefined;
  if (typeof draft !== 'string') return undefined;
  const parsed = parseFieldText(field, draft);
  return parsed.kind === 'value' ? parsed.value : undefined;
}

/** Converts the lines of a list to values. Invalid lines are left out. */
export function toListValues({ item }: ListField, lines: readonly string[]): readonly JsonValue[] {
  return lines.flatMap((line) => {
    const parsed = parseFieldText(item, line);
    return parsed.kind === 'value' ? [parsed.value] : [];
  });
}

/** Returns the drafts for these arguments, or `undefined` if fields cannot express them. */
export function toDrafts(fields: readonly FormField[], value: JsonObject): Drafts | undefined {
  const drafts = new Map<string, Draft>();
  for (const field of fields) {
    const draft =
      field.kind === 'choice' && field.opens === true
        ? openDraft(Object.hasOwn(value, field.name))
        : toDraft(field, valueAt(field, value));
    if (draft === undefined) return undefined;
    drafts.set(draftKey(field), draft);
  }
  // Detects unknown names, empty objects, and values in place of objects.
  const isWhole = sorted(toArguments(fields, drafts)) === sorted(value);
  return isWhole ? drafts : undefined;
}

function openDraft(isOpen: boolean): Draft {
  return isOpen ? { value: true } : {};
}

function valueAt({ name, parent }: FormField, value: JsonObject): JsonValue | undefined {
  const within = parent === undefined ? value : value[parent.name];
  if (parent !== undefined && !Object.hasOwn(value, parent.name)) return undefined;
  return isJsonObject(within) && Object.hasOwn(within, name) ? within[name] : undefined;
}

/** Fields are only one level deep. Missing required objects are added to the arguments. */
function sorted(value: JsonValue): string {
  if (!isJsonObject(value)) return stringifyExactly(value);
  const members = Object.entries(value).map(
    ([name, child]) => `${JSON.stringify(name)}:${sorted(child)}`,
  );
  return `{${members.toSorted().join()}}`;
}

function toDraft(field: FormField, value: JsonValue | undefined): Draft | undefined {
  if (value === undefined) return absentDraft(field);
  if (field.kind === 'many') {
    const picked = field.choices.filter((one) => Array.isArray(value) && value.includes(one));
    return { values: picked };
  }
  if (field.kind === 'list') {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    const values = items.flatMap((one) => toFieldText(field.item, one) || []);
    return values.length === items.length ? { values } : undefined;
  }
  if (field.kind !== 'choice') return toFieldText(field, value);
  const choice = field.choices.find((one) => isSameJson(one, value));
  return choice === undefined ? undefined : { value: choice };
}

function absentDraft({ kind }: FormField): Draft {
  if (kind === 'choice') return {};
  return kind === 'many' || kind === 'list' ? { values: [] } : '';
}

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
export function withImpliedDrafts(fields: readonly FormField[], drafts: Drafts): Drafts {
  const known = new Map(drafts);
  for (const field of fields) {
    if (!field.required || !isFieldAsked(field, known) || known.has(draftKey(field))) continue;
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
  return (
    isFieldAsked(field, drafts) && draftValue(field, drafts.get(draftKey(field))) !== undefined
  );
}

/** True if the field only decides whether the fields of an optional object are asked for. */
export function opensObject(field: FormField): boolean {
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

/**
 * Returns drafts for values that were typed as `name=value`, and the names that no field has or
 * whose field cannot take the value. A dot separates an object from its property, a comma the values of a list.
 */
export function typedDrafts(
  fields: readonly FormField[],
  typed: ReadonlyMap<string, string>,
): { readonly drafts: Drafts; readonly unknown: readonly string[] } {
  const drafts = new Map<string, Draft>();
  const unknown: string[] = [];
  for (const [name, text] of typed) {
    const field = fields.find(
      (one) => (one.parent === undefined ? one.name : `${one.parent.name}.${one.name}`) === name,
    );
    const draft = field && typedDraft(field, text);
    if (field === undefined || draft === undefined) unknown.push(name);
    else drafts.set(draftKey(field), draft);
    const gate = field?.parent;
    if (gate?.required === false) drafts.set(gate.name, { value: true });
  }
  return { drafts, unknown };
}

function typedDraft(field: FormField, text: string): Draft | undefined {
  if (field.kind === 'many' || field.kind === 'list') {
    const values = text === '' ? [] : text.split(',');
    const isWhole = field.kind === 'many' || toListValues(field, values).length === values.length;
    return isWhole ? { values } : undefined;
  }
  if (field.kind !== 'choice') return text;
  const choice = field.choices.find((one) => String(one) === text);
  return choice === undefined ? undefined : { value: choice };
}
