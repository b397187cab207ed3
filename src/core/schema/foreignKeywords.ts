import type { JsonObject, JsonValue } from '../json/jsonValue';
import { isJsonObject } from '../json/shapes';
import { oneSchema, schemaLists, schemaMaps } from './schemaCheck';

/** Keywords with arbitrary values, in which nothing is a keyword. */
const data = ['const', 'enum', 'default', 'examples', 'required', 'dependentRequired'];

/**
 * Copies a schema without the keywords that only Ajv knows. `$async`, with any value, would make
 * Ajv return a promise, which passes for valid; `nullable` (of OpenAPI) would make it refuse
 * schemas without `type`. Both are unknown keywords in JSON Schema, and may be ordinary
 * names or values elsewhere. The depth of the schema has to be bounded.
 */
export function withoutForeignKeywords(schema: JsonObject): JsonObject {
  // Defines own members, so that `__proto__` is an ordinary one.
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
  // References can point into unknown keywords.
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

/**
 * The value of an unknown keyword may be a schema, or a map from names to schemas. A keyword such
 * as `nullable` has a boolean; a name has a schema.
 */
function inUnknown(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => (key !== '$async' && key !== 'nullable') || typeof each === 'object')
      .map(([key, each]) => [key, inKeyword(key, each)]),
  );
}
