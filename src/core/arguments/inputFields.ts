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
  | { readonly kind: 'document'; readonly reason: DocumentReason };

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
  if ('code' in members) return { kind: 'document', reason: members };
  const read = readFields(members.list);
  if ('code' in read) return { kind: 'document', reason: read };
  const { fields, others } = read;
  if (fields.length > maxFields) return asDocument('tooManyFields', String(fields.length));
  if (fields.length > 0) return { kind: 'fields', fields, others };
  const [first] = others;
  // Without fields the user goes straight to the document.
  return first === undefined ? { kind: 'none' } : asDocument('property', first.name);
}

/**
 * A hand-written `{"type": "object"}` means that there are no arguments, as in the specification.
 * Generated schemas always list properties; if such a list is missing, it got lost.
 */
function namesNothing(schema: JsonObject): boolean {
  const isByHand = schema['type'] === 'object' && !Object.hasOwn(schema, '$schema');
  const isSaid = ['properties', 'additionalProperties'].some((key) => Object.hasOwn(schema, key));
  return !isByHand && !isSaid && 'list' in readMembers(schema);
}

interface ReadFields {
  readonly fields: readonly FormField[];
  readonly others: readonly DocumentProperty[];
}

function readFields(members: readonly Member[]): ReadFields | DocumentReason {
  const fields: FormField[] = [];
  const others: DocumentProperty[] = [];
  const keys = new Set<string>();
  for (const member of members) {
    const { name } = member;
    const read = readProperty(member) ?? leftOut(member);
    if (read === undefined) return { code: 'property', detail: name };
    fields.push(...read.fields);
    others.push(...read.others);
    for (const field of read.fields) keys.add(draftKey(field));
    // A property is named like the path to a field within an object.
    if (keys.size < fields.length) return { code: 'property', detail: name };
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
  if ('code' in members) return undefined;
  const isSecret = isSecretSchema(schema) || isSecretSchema(simple);
  const base = sharedMembers(name, schema, required);
  const parent: FieldParent = { name, label: base.label, required };
  const fields: FormField[] = [];
  const others: DocumentProperty[] = [];
  for (const member of members.list) {
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

function asDocument(code: DocumentReason['code'], detail?: string): FieldPlan {
  return { kind: 'document', reason: detail === undefined ? { code } : { code, detail } };
}

/** Why a schema needs a document: the keyword or property that fields cannot express. */
interface DocumentReason {
  readonly code: 'keyword' | 'property' | 'tooManyFields' | 'anyProperties';
  /** Untrusted: from the server. */
  readonly detail?: string;
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

/**
 * Returns the properties of an object that has no other constraints, or else the reason why it
 * needs a document.
 */
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
  const names = new Set<JsonValue>(required);
  return {
    list: entries.map(([name, own]) => ({ name, schema: own, required: names.has(name) })),
  };
}

/** True if the object allows no other properties worth entering. */
function allowsOnlyNamed(additional: JsonValue | undefined, propertyCount: number): boolean {
  if (additional === undefined || additional === false) return true;
  const allowsAnything =
    additional === true || (isJsonObject(additional) && Object.keys(additional).length === 0);
  return allowsAnything && propertyCount > 0;
}
