import { isSecretSchema } from '../schema/secretPlaces';
import { isJsonObject } from '../json/shapes';
import { draftKey, type FieldParent, type FormField } from './inputField';
import { readField, sharedMembers, withoutNull } from './readField';
import type { JsonObject, JsonValue } from '../json/jsonValue';

/** An optional property that only a document can express. */
export type DocumentProperty = Pick<FormField, 'name' | 'label' | 'parent'>;

export type FieldPlan =
  | { readonly kind: 'none' }
  /** The schema does not say whether there are arguments. */
  | { readonly kind: 'unnamed' }
  | {
      readonly kind: 'fields';
      readonly fields: readonly FormField[];
      /** Optional properties that are not fields. */
      readonly others: readonly DocumentProperty[];
    }
  | { readonly kind: 'document' };

/** With more steps, a document that shows everything at once is better. */
const maxFields = 12;

/**
 * Decides how the user enters the arguments of a tool: not at all, one property after the other, or
 * as a JSON document if the schema needs one. Fields are simple properties, and simple properties
 * of objects; optional properties that are more complex are listed beside them. Depends on the
 * schema only. Never throws.
 */
export function planFields(schema: JsonObject): FieldPlan {
  if (namesNothing(schema)) return { kind: 'unnamed' };
  const members = readMembers(schema);
  const read = members && readFields(members);
  if (read === undefined || read.fields.length > maxFields) return { kind: 'document' };
  const { fields, others } = read;
  if (fields.length > 0) return { kind: 'fields', fields, others };
  // Without fields the user goes straight to the document.
  return { kind: others.length === 0 ? 'none' : 'document' };
}

/**
 * A hand-written `{"type": "object"}` means that there are no arguments, as in the specification.
 * Generated schemas always list properties; if such a list is missing, it got lost.
 */
function namesNothing(schema: JsonObject): boolean {
  const isByHand = schema['type'] === 'object' && !Object.hasOwn(schema, '$schema');
  const isSaid = ['properties', 'additionalProperties'].some((key) => Object.hasOwn(schema, key));
  return !isByHand && !isSaid && readMembers(schema) !== undefined;
}

interface ReadFields {
  readonly fields: readonly FormField[];
  readonly others: readonly DocumentProperty[];
}

function readFields(members: readonly Member[]): ReadFields | undefined {
  const fields: FormField[] = [];
  const others: DocumentProperty[] = [];
  const keys = new Set<string>();
  for (const member of members) {
    const read = readProperty(member) ?? leftOut(member);
    if (read === undefined) return undefined;
    fields.push(...read.fields);
    others.push(...read.others);
    for (const field of read.fields) keys.add(draftKey(field));
    // A property is named like the path to a field within an object.
    if (keys.size < fields.length) return undefined;
  }
  return { fields, others };
}

/**
 * Leaves out an optional property that cannot be a field. One that no value satisfies is always
 * left out.
 */
function leftOut(member: Member, parent?: FieldParent): ReadFields | undefined {
  if (!mayBeLeftOut(member)) return undefined;
  const { name, schema } = member;
  const label = isJsonObject(schema) ? sharedMembers(name, schema, false).label : name;
  const other = { name, label, ...(parent === undefined ? {} : { parent }) };
  return { fields: [], others: schema === false ? [] : [other] };
}

/** True also for a required property with a default, which the server then uses. */
function mayBeLeftOut({ required, schema }: Member): boolean {
  return !required || (isJsonObject(schema) && Object.hasOwn(schema, 'default'));
}

/** Returns one field, or the fields of an object's properties. */
function readProperty({ name, schema, required }: Member): ReadFields | undefined {
  const field = readField(name, schema, required);
  if (field !== undefined) return { fields: [field], others: [] };
  if (!isJsonObject(schema)) return undefined;
  const { simple, isNullable } = withoutNull(schema);
  // Any other type may not be an object, and a required object cannot be entered as null.
  if (simple['type'] !== 'object' || (isNullable && required)) return undefined;
  const members = readMembers(simple);
  if (members === undefined) return undefined;
  const isSecret = isSecretSchema(schema) || isSecretSchema(simple);
  const base = sharedMembers(name, schema, required);
  const parent: FieldParent = { name, label: base.label, required };
  const fields: FormField[] = [];
  const others: DocumentProperty[] = [];
  for (const member of members) {
    const own = withInherited(member, schema['default'], isSecret);
    const inner = readField(member.name, own, member.required);
    if (inner !== undefined) fields.push({ ...inner, parent });
    else {
      const left = leftOut(member, parent);
      if (left === undefined) return undefined;
      others.push(...left.others);
    }
  }
  if (fields.length === 0) return undefined;
  if (required) return { fields, others };
  return { fields: [{ ...base, kind: 'choice', choices: [true], opens: true }, ...fields], others };
}

/** The object's default and secrecy apply to its properties. */
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

/**
 * Keywords about the object as a whole, which separate steps cannot enforce. Unknown keywords are
 * annotations, and `$defs` without references have no effect.
 */
const wholeObjectKeywords = (
  '$ref $dynamicRef $recursiveRef allOf anyOf oneOf not if then else enum const dependencies ' +
  'dependentRequired dependentSchemas patternProperties propertyNames minProperties ' +
  'maxProperties unevaluatedProperties'
).split(' ');

/** A property of an object and its schema. */
interface Member {
  readonly name: string;
  readonly schema: JsonValue;
  readonly required: boolean;
}

/** Returns the properties of an object that has no other constraints. */
function readMembers(schema: JsonObject): readonly Member[] | undefined {
  if (wholeObjectKeywords.some((key) => Object.hasOwn(schema, key))) return undefined;
  const { type = 'object', additionalProperties } = schema;
  const properties = schema['properties'] ?? {};
  const required = schema['required'] ?? [];
  if (type !== 'object' || !isJsonObject(properties) || !Array.isArray(required)) return undefined;
  const names = new Set<JsonValue>(required);
  for (const name of names) {
    if (typeof name !== 'string' || !Object.hasOwn(properties, name)) return undefined;
  }
  const entries = Object.entries(properties);
  if (!allowsOnlyNamed(additionalProperties, entries.length)) return undefined;
  return entries.map(([name, own]) => ({ name, schema: own, required: names.has(name) }));
}

/** True if the object allows no other properties worth entering. */
function allowsOnlyNamed(additional: JsonValue | undefined, propertyCount: number): boolean {
  if (additional === undefined || additional === false) return true;
  const allowsAnything =
    additional === true || (isJsonObject(additional) && Object.keys(additional).length === 0);
  return allowsAnything && propertyCount > 0;
}
