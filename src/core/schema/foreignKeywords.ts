import type { JsonObject, JsonValue } from '../json/jsonValue';
import { isJsonObject } from '../json/shapes';
import { oneSchema, schemaLists, schemaMaps } from './schemaCheck';

/** Keywords with values of any kind, in which nothing is a keyword. */
const data = ['const', 'enum', 'default', 'examples', 'required', 'dependentRequired'];

/**
 * A copy without the keywords that mean something to Ajv only: `$async`, whatever its value, would
 * make it answer with a promise, and so call everything valid; `nullable` (of OpenAPI) would make
 * it refuse schemas without `type`. Both are unknown keywords, and names or values like any
 * others elsewhere. For schemas of bounded depth.
 */
export function withoutForeignKeywords(schema: JsonObject): JsonObject {
  // Defines members rather than setting them, so that `__proto__` is one like any other.
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== '$async' && key !== 'nullable')
      .map(([key, value]) => [key, inKeyword(key, value)]),
  );
}

function inKeyword(key: string, value: JsonValue): JsonValue {
  if (data.includes(key)) return value;
  if (Array.isArray(value)) return schemaLists.includes(key) ? value.map(inSchema) : value;
  if (!isJsonObject(value)) return value;
  if (oneSchema.includes(key)) return inSchema(value);
  if (schemaMaps.includes(key) || key === 'dependencies') return inEach(value);
  // References can lead into keywords that nobody knows.
  return inUnknown(value);
}

function inSchema(schema: JsonValue): JsonValue {
  return isJsonObject(schema) ? withoutForeignKeywords(schema) : schema;
}

function inEach(schemas: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, inSchema(schema)]),
  );
}

/** A schema or several by names: the keyword has a boolean, the name a schema. */
function inUnknown(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => (key !== '$async' && key !== 'nullable') || typeof each === 'object')
      .map(([key, each]) => [key, inKeyword(key, each)]),
  );
}
