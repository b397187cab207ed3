import { isJsonObject, readField, type Field } from './inputField';
import type { JsonObject, JsonValue } from '../types';

/** Why a schema needs a document: the keyword or the property that fields cannot express. */
export interface DocumentReason {
  readonly code: 'keyword' | 'property' | 'tooManyFields' | 'anyProperties';
  /** From the server, untrusted. */
  readonly detail?: string;
}

export type FieldPlan =
  | { readonly kind: 'none' }
  | { readonly kind: 'fields'; readonly fields: readonly Field[] }
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
 * JSON document where the schema is more than a flat list of simple properties. Never throws.
 */
export function planFields(schema: JsonObject): FieldPlan {
  const keyword = wholeObjectKeywords.find((key) => Object.hasOwn(schema, key));
  if (keyword !== undefined) return asDocument('keyword', keyword);
  const type = schema['type'];
  if (type !== undefined && type !== 'object') return asDocument('keyword', 'type');

  const properties = schema['properties'] ?? {};
  if (!isJsonObject(properties)) return asDocument('keyword', 'properties');
  const required = schema['required'] ?? [];
  if (!Array.isArray(required)) return asDocument('keyword', 'required');
  const orphan = required.find((name) => !Object.hasOwn(properties, String(name)));
  if (orphan !== undefined) return asDocument('property', String(orphan));

  const entries = Object.entries(properties);
  if (!allowsOnlyNamed(schema['additionalProperties'], entries.length)) {
    return asDocument('anyProperties');
  }
  if (entries.length > maxFields) return asDocument('tooManyFields', String(entries.length));
  return toPlan(entries, new Set(required));
}

/** Whether filling in the named properties is all that a person may want to do. */
function allowsOnlyNamed(additional: JsonValue | undefined, propertyCount: number): boolean {
  if (additional === undefined || additional === false) return true;
  const allowsAnything =
    additional === true || (isJsonObject(additional) && Object.keys(additional).length === 0);
  return allowsAnything && propertyCount > 0;
}

function toPlan(
  entries: readonly (readonly [string, JsonValue])[],
  required: ReadonlySet<JsonValue>,
): FieldPlan {
  const fields: Field[] = [];
  for (const [name, schema] of entries) {
    const field = readField(name, schema, required.has(name));
    if (field === undefined) return asDocument('property', name);
    fields.push(field);
  }
  return fields.length === 0 ? { kind: 'none' } : { kind: 'fields', fields };
}

function asDocument(code: DocumentReason['code'], detail?: string): FieldPlan {
  return { kind: 'document', reason: detail === undefined ? { code } : { code, detail } };
}
