import { isSecretSchema } from '../schema/secretPlaces';
import { isJsonObject } from '../json/shapes';
import { localTarget } from '../schema/schemaParts';
import type { JsonObject, JsonValue } from '../json/jsonValue';

/** A schema may contain itself endlessly; deeper levels are left to the user. */
const maxDepth = 5;
/** A schema that contains itself several times would grow exponentially. */
const maxValues = 500;

/** The state of making one skeleton, and how many values it may still add. */
interface Making {
  readonly root: JsonObject;
  valuesLeft: number;
}

/**
 * Makes initial arguments: every required property with its constant, its default, or the empty
 * value of its type. `$schema` is always empty. The result may be invalid, because no value is
 * invented that the user could overlook.
 */
export function toSkeleton(schema: JsonObject): JsonObject {
  const skeleton = objectOf(schema, { root: schema, valuesLeft: maxValues }, 0);
  // An editor's JSON service fetches what a document names there.
  return Object.hasOwn(skeleton, '$schema') ? { ...skeleton, $schema: '' } : skeleton;
}

/** Returns the names of optional properties, in the order of the schema. */
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
  // Reserved before the recursion, so that the required values of outer objects always fit.
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

/** Ends circular references. */
const maxParts = 100;

/** Returns the schema with all that `$ref` and `allOf` add for the same value. */
function partsOf(
  schema: JsonObject,
  root: JsonObject,
  seen = new Set<JsonObject>(),
): readonly JsonObject[] {
  if (seen.has(schema) || seen.size >= maxParts) return [];
  seen.add(schema);
  const { $ref: ref, allOf } = schema;
  // A reference to the whole schema would never end.
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
  // A secret is not displayed unless the user asks for it.
  if (byDefault !== undefined && !parts.some(isSecretSchema)) return byDefault;
  const declared = parts.find(({ type }) => type !== undefined)?.['type'];
  const [first, other] =
    parts.flatMap(({ anyOf, oneOf }) => [anyOf, oneOf]).find(Array.isArray) ?? [];
  // Among several constants, or the values of an `enum`, the user chooses.
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

/** Returns 0 if it is allowed, or else the bound that is nearest to it. */
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

/** The user adds more items, which look like the first ones. */
const maxItems = 10;

/**
 * Makes as many items as are required. If items have required members, there is at least one,
 * because it shows the names of the members.
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
  // No value is invented if the schema does not describe it.
  if (!isJsonObject(item) || depth >= maxDepth) return [];
  const values: JsonValue[] = [];
  while (values.length < Math.min(count, maxItems) && making.valuesLeft > 0) {
    making.valuesLeft -= 1;
    values.push(valueOf(item, making, depth + 1));
  }
  return values;
}
