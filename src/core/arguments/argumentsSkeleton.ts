import { isSecretSchema } from '../schema/secretPlaces';
import { isJsonObject } from '../json/shapes';
import { localTarget } from '../schema/localRefs';
import type { JsonObject, JsonValue } from '../json/jsonValue';

/** Deeper is for the person to fill in; a schema may contain itself without end. */
const maxDepth = 5;
/** A schema that contains itself several times would grow by a power at each level. */
const maxValues = 500;

/** What a skeleton is made from, and how many values it may still get. */
interface Making {
  readonly root: JsonObject;
  valuesLeft: number;
}

/**
 * Arguments to begin with: every required property with its constant, its default, or the empty
 * value of its type; only `$schema` is empty in any case. Not necessarily valid; nothing is made up that a person could overlook.
 */
export function toSkeleton(schema: JsonObject): JsonObject {
  const skeleton = objectOf(schema, { root: schema, valuesLeft: maxValues }, 0);
  // The JSON service of an editor fetches what a document names there.
  return Object.hasOwn(skeleton, '$schema') ? { ...skeleton, $schema: '' } : skeleton;
}

/** The names that may be left out, in the order of the schema. */
export function optionalNames(schema: JsonObject): readonly string[] {
  const parts = partsOf(schema, schema);
  const required = new Set(requiredNames(parts));
  const names = parts.flatMap(({ properties }) =>
    isJsonObject(properties) ? Object.keys(properties) : [],
  );
  return [...new Set(names)].filter((name) => !required.has(name));
}

function objectOf(schema: JsonObject, making: Making, depth: number): JsonObject {
  const parts = partsOf(schema, making.root);
  const names = requiredNames(parts).slice(0, making.valuesLeft);
  // Taken before going deeper, so that what the outermost objects need is never what is missing.
  making.valuesLeft -= names.length;
  return Object.fromEntries(
    names.map((name) => {
      const allOf = parts.flatMap(({ properties }): readonly JsonValue[] =>
        isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name] ?? {}] : [],
      );
      return [name, valueOf(allOf.length === 1 ? allOf[0] : { allOf }, making, depth + 1)];
    }),
  );
}

/** More than a person writes; what refers to itself in circles ends here. */
const maxParts = 100;

/** The schema, and what `$ref` and `allOf` say about the same value. */
function partsOf(
  schema: JsonObject,
  root: JsonObject,
  seen = new Set<JsonObject>(),
): readonly JsonObject[] {
  if (seen.has(schema) || seen.size >= maxParts) return [];
  seen.add(schema);
  const { $ref: ref, allOf } = schema;
  // The whole again has no end: what belongs there is for the person to say.
  const referred = ref === '#' ? undefined : localTarget(ref, root);
  const others = [referred, ...(Array.isArray(allOf) ? allOf : [])].filter(isJsonObject);
  return [schema, ...others.flatMap((other) => partsOf(other, root, seen))];
}

function requiredNames(parts: readonly JsonObject[]): readonly string[] {
  const names = parts.flatMap(({ required }) => (Array.isArray(required) ? required : []));
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

function valueOf(schema: JsonValue | undefined, making: Making, depth: number): JsonValue {
  if (!isJsonObject(schema) || depth > maxDepth) return null;
  const parts = partsOf(schema, making.root);
  const only = parts.find((part) => part['const'] !== undefined)?.['const'];
  if (only !== undefined) return only;
  const byDefault = parts.find((part) => part['default'] !== undefined)?.['default'];
  // A secret is not put on the screen unasked.
  if (byDefault !== undefined && !parts.some(isSecretSchema)) return byDefault;
  const declared = parts.find(({ type }) => type !== undefined)?.['type'];
  const [first, other] =
    parts.flatMap(({ anyOf, oneOf }) => [anyOf, oneOf]).find(Array.isArray) ?? [];
  // Of several constants the person chooses, as among those of an `enum`.
  const isChoice = other !== undefined && isJsonObject(first) && first['const'] !== undefined;
  if (isChoice) return typeof first['const'] === 'string' ? '' : null;
  if (first !== undefined && declared === undefined) return valueOf(first, making, depth + 1);
  const type: unknown = Array.isArray(declared) ? declared[0] : declared;
  switch (type) {
    case 'string':
      return '';
    case 'number':
    case 'integer':
      return leastNumber(parts, type === 'integer');
    case 'boolean':
      return false;
    case 'array':
      return itemsOf(parts, making, depth);
    case 'object':
      return objectOf(schema, making, depth);
    default: {
      const isObject = parts.some(({ properties }) => isJsonObject(properties));
      return isObject ? objectOf(schema, making, depth) : null;
    }
  }
}

/** 0 where that is allowed, else what the bounds leave that is nearest to it. */
function leastNumber(parts: readonly JsonObject[], isInteger: boolean): number {
  const bound = (name: string): readonly number[] =>
    parts.map((part) => part[name]).filter((value) => typeof value === 'number');
  const step = isInteger ? 1 : 0.1;
  const above = (least: number): number => (isInteger ? Math.floor(least) + 1 : least + step);
  const below = (most: number): number => (isInteger ? Math.ceil(most) - 1 : most - step);
  const least = Math.max(...bound('minimum'), ...bound('exclusiveMinimum').map(above), -Infinity);
  const most = Math.min(...bound('maximum'), ...bound('exclusiveMaximum').map(below), Infinity);
  const number = Math.min(Math.max(0, least), most);
  if (!isInteger) return number;
  return number > 0 ? Math.ceil(number) : Math.floor(number);
}

/** More is for the person to write: each looks like the one before. */
const maxItems = 10;

/**
 * As many as there must be. Where an item has members that must be there, one in any case, because
 * nobody knows by heart what they are called.
 */
function itemsOf(
  parts: readonly JsonObject[],
  making: Making,
  depth: number,
): readonly JsonValue[] {
  const item = parts.find(({ items }) => isJsonObject(items))?.['items'];
  const most = parts.find((part) => typeof part['maxItems'] === 'number')?.['maxItems'];
  const min = parts.find((part) => typeof part['minItems'] === 'number')?.['minItems'];
  const hasMembers =
    isJsonObject(item) && requiredNames(partsOf(item, making.root)).length > 0 && most !== 0;
  const count = Math.max(typeof min === 'number' ? min : 0, hasMembers ? 1 : 0);
  // Nothing is made up where it is not known what belongs there.
  if (!isJsonObject(item) || depth >= maxDepth) return [];
  const values: JsonValue[] = [];
  while (values.length < Math.min(count, maxItems) && making.valuesLeft > 0) {
    making.valuesLeft -= 1;
    values.push(valueOf(item, making, depth + 1));
  }
  return values;
}
