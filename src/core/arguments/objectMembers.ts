import { isJsonObject } from '../json/shapes';

import type { JsonObject, JsonValue } from '../json/jsonValue';

/** Why a schema needs a document: the keyword or property that fields cannot express. */
export interface DocumentReason {
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
export interface Member {
  readonly name: string;
  readonly schema: JsonValue;
  readonly required: boolean;
}

/**
 * Returns the properties of an object that has no other constraints, or else the reason why it
 * needs a document.
 */
export function readMembers(
  schema: JsonObject,
): { readonly list: readonly Member[] } | DocumentReason {
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
