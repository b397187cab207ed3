import { findValue, fromPointerStep } from '../json/jsonPointer';
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

/**
 * Returns what a `$ref` of the form `#` or `#/…` points to inside `root`, and `undefined` for any
 * other reference. Nothing outside the schema is ever read.
 */
export function localTarget(ref: unknown, root: object): unknown {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  // Ajv also splits the reference before it decodes it.
  const steps = ref
    .slice(2)
    .split('/')
    .map((step) => fromPointerStep(percentDecoded(step)));
  const target = findValue(root, steps);
  return target.isThere ? target.value : undefined;
}
