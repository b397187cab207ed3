import type { JsonObject, JsonValue } from '../../../core/json/jsonValue';
import { isJsonObject } from '../../../core/json/shapes';

/** Keywords that can bring in places of which nothing is known here. */
const openKeywords =
  '$ref $dynamicRef $recursiveRef allOf anyOf oneOf if then else not patternProperties dependentSchemas dependencies'.split(
    ' ',
  );

/**
 * Whether a value that fits `schema` may have something at these steps of a JSON pointer with `*`.
 * Says `true` where that is not plain to see; what a schema does not list counts as not there
 * although JSON Schema lets it pass, because servers do not look at it.
 */
export function mayHaveArgument(schema: JsonValue, tokens: readonly string[]): boolean {
  const [token, ...rest] = tokens;
  if (token === undefined || !isJsonObject(schema)) return true;
  if (openKeywords.some((key) => Object.hasOwn(schema, key))) return true;
  const below = [...inObject(schema, token), ...inArray(schema, token)];
  return below.some((each) => mayHaveArgument(each, rest));
}

function inObject(schema: JsonObject, token: string): readonly JsonValue[] {
  if (!hasType(schema, 'object')) return [];
  const { properties, additionalProperties } = schema;
  const more = additionalProperties;
  if (!isJsonObject(properties)) return more === false ? [] : [true];
  const named = token === '*' ? Object.values(properties) : [];
  const own = Object.hasOwn(properties, token) ? properties[token] : undefined;
  const others = more === true || isJsonObject(more) ? [more] : [];
  return [...named, ...(own === undefined ? [] : [own]), ...others];
}

function inArray(schema: JsonObject, token: string): readonly JsonValue[] {
  if (!hasType(schema, 'array') || !/^(?:\*|\d+)$/.test(token)) return [];
  const { items, prefixItems } = schema;
  const lists = [items, prefixItems].flatMap((each) => (Array.isArray(each) ? each : []));
  if (lists.length === 0 && items === undefined) return [true];
  return [...lists, ...(isJsonObject(items) ? [items] : []), ...(items === true ? [true] : [])];
}

function hasType({ type }: JsonObject, wanted: string): boolean {
  return type === undefined || type === wanted || (Array.isArray(type) && type.includes(wanted));
}
