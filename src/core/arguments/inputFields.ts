import { isSecretSchema } from '../schema/secretPlaces';
import { draftKey } from './fieldDrafts';
import { isJsonObject, type FieldParent, type FormField } from './inputField';
import { readField, toBase, withoutNull } from './readField';
import type { JsonObject, JsonValue } from '../types';

/** Why a schema needs a document: the keyword or the property that fields cannot express. */
export interface DocumentReason {
  readonly code: 'keyword' | 'property' | 'tooManyFields' | 'anyProperties';
  /** From the server, untrusted. */
  readonly detail?: string;
}

export type FieldPlan =
  | { readonly kind: 'none' }
  | { readonly kind: 'fields'; readonly fields: readonly FormField[] }
  | { readonly kind: 'document'; readonly reason: DocumentReason };

/** More steps than this are worse than a document that shows all of them at once. */
const maxFields = 12;

/**
 * Keywords that say something about the object as a whole which steps for single properties
 * cannot keep. Unknown keywords are annotations; `$defs` nobody refers to mean nothing.
 */
const wholeObjectKeywords = (
  '$ref $dynamicRef $recursiveRef allOf anyOf oneOf not if then else enum const dependencies ' +
  'dependentRequired dependentSchemas patternProperties propertyNames minProperties ' +
  'maxProperties unevaluatedProperties'
).split(' ');

/**
 * How a person enters the arguments of a tool: not at all, one property after the other, or as a
 * JSON document where the schema is more than a list of simple properties and of objects of simple
 * properties. Depends on nothing but the schema. Never throws.
 */
export function planFields(schema: JsonObject): FieldPlan {
  const members = readMembers(schema);
  if ('code' in members) return { kind: 'document', reason: members };
  const fields: FormField[] = [];
  const keys = new Set<string>();
  for (const { name, schema: own, required } of members.list) {
    const read = readProperty(name, own, required);
    if (read === undefined) return asDocument('property', name);
    fields.push(...read);
    for (const field of read) keys.add(draftKey(field));
    // A name that reads like the path to a field within another one.
    if (keys.size < fields.length) return asDocument('property', name);
  }
  if (fields.length > maxFields) return asDocument('tooManyFields', String(fields.length));
  return fields.length === 0 ? { kind: 'none' } : { kind: 'fields', fields };
}

interface Member {
  readonly name: string;
  readonly schema: JsonValue;
  readonly required: boolean;
}

/** The properties of an object that is nothing but its properties, else why it is more. */
function readMembers(schema: JsonObject): { readonly list: readonly Member[] } | DocumentReason {
  const keyword = wholeObjectKeywords.find((key) => Object.hasOwn(schema, key));
  if (keyword !== undefined) return { code: 'keyword', detail: keyword };
  const type = schema['type'];
  if (type !== undefined && type !== 'object') return { code: 'keyword', detail: 'type' };

  const properties = schema['properties'] ?? {};
  if (!isJsonObject(properties)) return { code: 'keyword', detail: 'properties' };
  const required = schema['required'] ?? [];
  if (!Array.isArray(required)) return { code: 'keyword', detail: 'required' };
  const orphan = required.findIndex(
    (name) => typeof name !== 'string' || !Object.hasOwn(properties, name),
  );
  if (orphan !== -1) {
    const name = required[orphan];
    return { code: 'property', detail: typeof name === 'string' ? name : 'required' };
  }

  const entries = Object.entries(properties);
  if (!allowsOnlyNamed(schema['additionalProperties'], entries.length)) {
    return { code: 'anyProperties' };
  }
  if (entries.length > maxFields) return { code: 'tooManyFields', detail: String(entries.length) };
  const names = new Set<JsonValue>(required);
  return {
    list: entries.map(([name, own]) => ({ name, schema: own, required: names.has(name) })),
  };
}

/** Whether filling in the named properties is all that a person may want to do. */
function allowsOnlyNamed(additional: JsonValue | undefined, propertyCount: number): boolean {
  if (additional === undefined || additional === false) return true;
  const allowsAnything =
    additional === true || (isJsonObject(additional) && Object.keys(additional).length === 0);
  return allowsAnything && propertyCount > 0;
}

/** One field, or, for an object, those of its own properties. */
function readProperty(
  name: string,
  schema: JsonValue,
  required: boolean,
): readonly FormField[] | undefined {
  const field = readField(name, schema, required);
  if (field !== undefined || !isJsonObject(schema)) return field && [field];
  const { simple, isNullable } = withoutNull(schema);
  // Anything else may be no object, and null cannot be entered where it is needed.
  if (simple['type'] !== 'object' || (isNullable && required)) return undefined;
  const members = readMembers(simple);
  if ('code' in members || members.list.length === 0) return undefined;
  const isSecret = isSecretSchema(schema) || isSecretSchema(simple);
  const base = toBase(name, schema, required);
  const parent: FieldParent = { name, label: base.label, required };
  const fields: FormField[] = [];
  for (const member of members.list) {
    const own = withInherited(member, schema['default'], isSecret);
    const inner = readField(member.name, own, member.required);
    if (inner === undefined) return undefined;
    fields.push({ ...inner, parent });
  }
  return required ? fields : [{ ...base, kind: 'choice', choices: [true], opens: true }, ...fields];
}

/** What the object has by default its properties have, and what is in a secret is one. */
function withInherited(
  { name, schema }: Member,
  parentDefault: JsonValue | undefined,
  isSecret: boolean,
): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const isGiven = isJsonObject(parentDefault) && Object.hasOwn(parentDefault, name);
  const byDefault = isGiven ? parentDefault[name] : undefined;
  if (byDefault === undefined && !isSecret) return schema;
  return {
    ...schema,
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(isSecret ? { writeOnly: true } : {}),
  };
}

function asDocument(code: DocumentReason['code'], detail?: string): FieldPlan {
  return { kind: 'document', reason: detail === undefined ? { code } : { code, detail } };
}
