import { isJsonObject } from '../json/shapes';

import type { JsonObject, JsonValue } from '../json/jsonValue';

/** Why a schema needs a document: the keyword or the property that fields cannot express. */
export interface DocumentReason {
  readonly code: 'keyword' | 'property' | 'tooManyFields' | 'anyProperties';
  /** From the server, untrusted. */
  readonly detail?: string;
}

/**
 * Keywords that say something about the object as a whole which steps for single properties
 * cannot keep. Unknown keywords are annotations; `$defs` nobody refers to mean nothing.
 */
const wholeObjectKeywords = (
  '$ref $dynamicRef $recursiveRef allOf anyOf oneOf not if then else enum const dependencies ' +
  'dependentRequired dependentSchemas patternProperties propertyNames minProperties ' +
  'maxProperties unevaluatedProperties'
).split(' ');

/** A property of an object, as its schema has it. */
export interface Member {
  readonly name: string;
  readonly schema: JsonValue;
  readonly required: boolean;
}

/** The properties of an object that is nothing but its properties, else why it is more. */
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

/** Whether filling in the named properties is all that a person may want to do. */
function allowsOnlyNamed(additional: JsonValue | undefined, propertyCount: number): boolean {
  if (additional === undefined || additional === false) return true;
  const allowsAnything =
    additional === true || (isJsonObject(additional) && Object.keys(additional).length === 0);
  return allowsAnything && propertyCount > 0;
}
