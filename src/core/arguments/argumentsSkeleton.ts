import { isJsonObject } from './inputField';
import type { JsonObject, JsonValue } from '../types';

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
 * value of its type. Not necessarily valid; nothing is made up that a person could overlook.
 */
export function toSkeleton(schema: JsonObject): JsonObject {
  return objectOf(schema, { root: schema, valuesLeft: maxValues }, 0);
}

/** The names that may be left out, in the order of the schema. */
export function optionalNames(schema: JsonObject): readonly string[] {
  const properties = schema['properties'];
  const required = new Set(requiredNames(schema));
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  return names.filter((name) => !required.has(name));
}

function objectOf(schema: JsonObject, making: Making, depth: number): JsonObject {
  const properties = schema['properties'];
  const known: JsonObject = isJsonObject(properties) ? properties : {};
  const names = requiredNames(schema).slice(0, making.valuesLeft);
  // Taken before going deeper, so that what the outermost objects need is never what is missing.
  making.valuesLeft -= names.length;
  return Object.fromEntries(
    names.map((name) => {
      const property = Object.hasOwn(known, name) ? known[name] : undefined;
      return [name, valueOf(property, making, depth + 1)];
    }),
  );
}

function requiredNames(schema: JsonObject): readonly string[] {
  const required = schema['required'];
  if (!Array.isArray(required)) return [];
  return required.filter((name): name is string => typeof name === 'string');
}

function valueOf(schema: JsonValue | undefined, making: Making, depth: number): JsonValue {
  if (!isJsonObject(schema) || depth > maxDepth) return null;
  const { const: only, default: byDefault } = schema;
  if (only !== undefined) return only;
  if (byDefault !== undefined) return byDefault;
  const referred = localTarget(schema['$ref'], making.root);
  if (referred !== undefined) return valueOf(referred, making, depth + 1);
  const [first] = [schema['anyOf'], schema['oneOf'], schema['allOf']].find(Array.isArray) ?? [];
  if (first !== undefined && schema['type'] === undefined) return valueOf(first, making, depth + 1);
  return emptyOf(schema, making, depth);
}

function emptyOf(schema: JsonObject, making: Making, depth: number): JsonValue {
  const declared = schema['type'];
  const type: unknown = Array.isArray(declared) ? declared[0] : declared;
  switch (type) {
    case 'string':
      return '';
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return objectOf(schema, making, depth);
    default:
      return isJsonObject(schema['properties']) ? objectOf(schema, making, depth) : null;
  }
}

/** What `#/$defs/name` and the like point to; nothing outside the schema is looked at. */
function localTarget(ref: JsonValue | undefined, root: JsonObject): JsonValue | undefined {
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  let target: JsonValue | undefined = root;
  for (const token of ref.slice(2).split('/')) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isJsonObject(target) || !Object.hasOwn(target, name)) return undefined;
    target = target[name];
  }
  return target;
}
