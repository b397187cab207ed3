import { findStep, fromPointerStep } from '../json/jsonPointer';
import { isObject, type UnknownObject } from '../json/shapes';
import { percentDecoded } from '../percentDecoded';

/** Returns all subschemas that may apply to a member, without deciding which of them do. */
export function memberSchemas(schemas: readonly UnknownObject[], key: string): readonly unknown[] {
  return schemas.flatMap((schema) => {
    const { properties } = schema;
    const own = isObject(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [];
    return [
      ...own,
      ...objectValues(schema['patternProperties']),
      // These apply only to properties that are not listed.
      ...(own.length > 0 ? [] : [schema['additionalProperties'], schema['unevaluatedProperties']]),
    ];
  });
}

/** Returns all subschemas that may apply to an item, without deciding which of them do. */
export function itemSchemas(schemas: readonly UnknownObject[], index: number): readonly unknown[] {
  return schemas.flatMap((schema) => {
    const { items, prefixItems } = schema;
    return [
      arrayItems(prefixItems)[index],
      // Older drafts have a list here for the first items, and another keyword for the rest.
      ...(Array.isArray(items) ? [items[index]] : [items]),
      schema['additionalItems'],
      schema['unevaluatedItems'],
      schema['contains'],
    ];
  });
}

/** The items of a list, or none for any other value. */
export function arrayItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The values of an object, or none for any other value. */
export function objectValues(value: unknown): readonly unknown[] {
  return isObject(value) ? Object.values(value) : [];
}

/** The targets of references by their schemas, which never change. */
const knownTargets = new WeakMap<object, Map<string, unknown>>();

/**
 * Returns what a `$ref` of the form `#` or `#/…` points to inside `root`, and `undefined` for any
 * other reference. Nothing outside the schema is ever read. A reference may be of any length
 * and reached from any number of places, so its target is found once.
 */
export function localTarget(ref: unknown, root: object): unknown {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  const known = knownTargets.get(root) ?? new Map<string, unknown>();
  knownTargets.set(root, known);
  if (!known.has(ref)) known.set(ref, targetOf(ref, root));
  return known.get(ref);
}

/** Reads no further than to the first step that leads nowhere. */
function targetOf(ref: string, root: object): unknown {
  let target: unknown = root;
  // Ajv also splits the reference before it decodes it.
  for (let slash = 1; slash !== -1;) {
    const next = ref.indexOf('/', slash + 1);
    const step = ref.slice(slash + 1, next === -1 ? undefined : next);
    const found = findStep(target, fromPointerStep(percentDecoded(step)));
    if (!found.isThere) return undefined;
    target = found.value;
    slash = next;
  }
  return target;
}
