import { isJsonObject } from '../json/shapes';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { localTarget } from './localRefs';

/** Returns the guide of a schema at this depth. */
export type GuideOf = (schema: JsonValue | undefined, depth: number) => JsonObject;

/**
 * Combines the guides of all alternatives and parts of a schema. An alternative with a constant
 * property is dropped as soon as the property has the constant of another alternative.
 */
export function unionGuides(
  schema: JsonObject,
  root: JsonObject,
  guide: GuideOf,
  depth: number,
): readonly JsonObject[] {
  const parts = [listOf(schema['allOf']), [schema['then'], schema['else']]].flat();
  const dependent = schema['dependentSchemas'];
  if (isJsonObject(dependent)) parts.push(...Object.values(dependent));
  return [
    ...parts.filter(isJsonObject).map((part) => guide(part, depth)),
    ...alternativeGuides(listOf(schema['anyOf']), root, guide, depth),
    ...alternativeGuides(listOf(schema['oneOf']), root, guide, depth),
  ];
}

function alternativeGuides(
  alternatives: readonly JsonValue[],
  root: JsonObject,
  guide: GuideOf,
  depth: number,
): readonly JsonObject[] {
  const constants = alternatives.map((one) => constantsOf(one, root));
  return alternatives.map((alternative, index) => {
    const own = guide(alternative, depth);
    const others = constants.filter((_, other) => other !== index);
    const [silent] = [...(constants[index] ?? new Map<string, JsonValue>())].flatMap(
      ([name, value]) => {
        const theirs = others.flatMap((other) => other.get(name) ?? []);
        return theirs.length === 0 || theirs.includes(value) ? [] : [{ name, theirs }];
      },
    );
    if (silent === undefined) return own;
    const { name, theirs } = silent;
    const isOther = { required: [name], properties: { [name]: { enum: theirs } } };
    return { if: isOther, else: own };
  });
}

/** Returns the properties of an alternative that allow exactly one string. */
function constantsOf(alternative: JsonValue, root: JsonObject): ReadonlyMap<string, JsonValue> {
  const constants = new Map<string, JsonValue>();
  if (!isJsonObject(alternative)) return constants;
  const referred = localTarget(alternative['$ref'], root);
  const { properties } = isJsonObject(referred) ? referred : alternative;
  if (!isJsonObject(properties)) return constants;
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue;
    const { const: only, enum: listed } = property;
    const value = only ?? (Array.isArray(listed) && listed.length === 1 ? listed[0] : undefined);
    if (typeof value === 'string') constants.set(name, value);
  }
  return constants;
}

function listOf(
  value: JsonValue | undefined,
): readonly (JsonValue | undefined)[] & readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
